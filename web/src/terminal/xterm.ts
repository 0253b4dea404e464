// The terminal emulator, in a chunk of its own: a page without one does not load it.
export { FitAddon } from '@xterm/addon-fit'
export { Terminal } from '@xterm/xterm'

import '@xterm/xterm/css/xterm.css'
