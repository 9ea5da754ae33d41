import { Menu, type MenuItemConstructorOptions } from 'electron';

/**
 * The native menu. What it does not do itself it says to the page as `menu.command`; keys are left to the page, which
 * knows what they mean where the person is.
 */
export function showMenu(choose: (command: string) => void, openWindow: () => void): void {
  const item = (label: string, command: string): MenuItemConstructorOptions => ({
    label,
    click: () => choose(command),
  });
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const template: MenuItemConstructorOptions[] = [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        { label: 'New Window', click: openWindow },
        item('New Project…', 'project.new'),
        item('Open Folder…', 'project.open'),
        item('Open Recent…', 'project.recent'),
        separator,
        item('Save', 'file.save'),
        item('Save All', 'file.saveAll'),
        separator,
        item('Settings', 'settings.open'),
        separator,
        { role: process.platform === 'darwin' ? 'close' : 'quit' },
      ],
    },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        item('Command Palette…', 'palette.commands'),
        item('Find in Files…', 'search.show'),
        separator,
        { role: 'reload' },
        { role: 'toggleDevTools' },
        separator,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
      ],
    },
    {
      label: 'Service',
      submenu: [item('Start', 'run.start'), item('Stop', 'run.stop'), item('Restart', 'run.restart')],
    },
    { role: 'windowMenu' },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
