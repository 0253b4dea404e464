export { type Look, type PaneOutput, PaneScreen, type PaneScreenState } from './pane-screen.js'
export { Settler } from './settle.js'
