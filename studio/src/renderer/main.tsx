import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import './theme/index.css';
import { createRoot } from 'react-dom/client';
import { openBridge } from './bridge.ts';
import { features } from './features.ts';
import { handleKeys } from './shell/keys.ts';
import { Studio, StudioContext } from './shell/studio.ts';
import { Window } from './shell/window/window.tsx';

const bridge = openBridge((isLost) => studio.connection.set(isLost ? 'lost' : 'open'));
const studio: Studio = new Studio(bridge);
for (const contribute of features) contribute(studio);
handleKeys(studio.commands, bridge.operatingSystem, () => studio.keyRules);
bridge.on('menu.command', ({ command }) => studio.commands.run(command));

createRoot(document.getElementById('root') as HTMLElement).render(
  <StudioContext value={studio}>
    <Window />
  </StudioContext>,
);

const [{ project }] = await Promise.all([bridge.call('project.current', {}), studio.settings.load()]);
if (project) await studio.project.enter(project);
else studio.layout.open('welcome:');
