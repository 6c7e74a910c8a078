/** What `import … from 'electron'` gets in the main process. A name that is not here fails to link. */
export { app } from './app.ts';
export { BrowserWindowDouble as BrowserWindow } from './browser-window.ts';
export { dialog } from './dialog.ts';
export { Menu } from './menu.ts';
export { ipcMain, nativeTheme, powerMonitor, session, shell } from './system.ts';
export { nativeImage, TrayDouble as Tray } from './tray.ts';
export { utilityProcess } from './utility-process.ts';
