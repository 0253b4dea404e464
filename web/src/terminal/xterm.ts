// The terminal emulator is a chunk of its own, which only pages with a terminal load.
export { FitAddon } from '@xterm/addon-fit'
export { Terminal } from '@xterm/xterm'

import '@xterm/xterm/css/xterm.css'
