/* The page: what gradio's `js_on_load` of each island calls, as the global `specviz`. */
import { installHistory, installPresenting } from './base/navigation.js';
import { subscribe } from './base/shared.js';
import { learn } from './base/terms.js';
import { installTooltip } from './base/tooltip.js';
import { mountForest } from './forest/page.js';
import { mountLab } from './lab/page.js';
import { mountLessons } from './lesson/page.js';
import { mountLibrary } from './library/page.js';
import { mountMicroscope } from './microscope/page.js';
import { mountHeader } from './parts/header.js';
import { mountRace } from './race/page.js';

export * as link from './base/link.js';
export { go } from './base/navigation.js';
export { server } from './base/server.js';
export { latest, publish, subscribe } from './base/shared.js';

/** The islands, by name. */
export const mount = {
  header: mountHeader,
  race: mountRace,
  microscope: mountMicroscope,
  forest: mountForest,
  lessons: mountLessons,
  lab: mountLab,
  library: mountLibrary,
};

// plotly writes url(#...) for hatching; a <base>, which says './' anyway, would break them once the address changes
document.querySelector('base')?.remove();
subscribe('glossary', learn);
installTooltip();
installHistory();
installPresenting();
