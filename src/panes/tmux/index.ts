export { contentBytes } from './content-bytes.js'

export type { TmuxPaneInfo } from './pane-fields.js'
export type { TmuxContent } from './tmux-server.js'
export { TmuxSource, tmuxLocations } from './tmux-source.js'
