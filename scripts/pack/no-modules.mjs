// @ts-check
/** electron-builder asks whether it is to see to node_modules: what is needed of it is named in electron-builder.yml. */

/** @returns {Promise<boolean>} */
export default function noModules() {
  return Promise.resolve(false);
}
