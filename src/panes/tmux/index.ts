/*
 * Panes of tmux, through its control mode: tmux-source.ts finds the servers, tmux-server.ts follows
 * the panes of one, control-client.ts and control-stream.ts speak the protocol, pane-fields.ts
 * reads a pane's metadata, content-bytes.ts draws its content into an emulator.
 */

export { contentBytes } from './content-bytes.js'

export type { TmuxPaneInfo } from './pane-fields.js'
export type { TmuxContent } from './tmux-server.js'
export { TmuxSource, tmuxLocations } from './tmux-source.js'
