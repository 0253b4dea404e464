export { type Look, type PaneOutput, PaneScreen } from './pane-screen.js'
export { Settler } from './settle.js'
