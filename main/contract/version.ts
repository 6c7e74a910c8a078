/** Raised with every change a page of the other side could not read; a page that differs reloads. */
export const CONTRACT_VERSION = 3;
