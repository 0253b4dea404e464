import type { ITheme } from '@xterm/xterm'

/**
 * The terminal is dark in both themes, because agents choose their colours for a dark background.
 */
export const terminalTheme: ITheme = {
  background: '#0f1315',
  foreground: '#e3e3dd',
  cursor: '#f2b134',
  cursorAccent: '#0f1315',
  selectionBackground: '#3b5480',
  black: '#1c2225',
  red: '#f0655c',
  green: '#4fbf8b',
  yellow: '#e8b04b',
  blue: '#6f9fee',
  magenta: '#c08bea',
  cyan: '#56bcc7',
  white: '#d8d8d2',
  brightBlack: '#78828a',
  brightRed: '#ff8a82',
  brightGreen: '#77d9a8',
  brightYellow: '#f6cd7b',
  brightBlue: '#9bbdf6',
  brightMagenta: '#d6b0f3',
  brightCyan: '#85d6de',
  brightWhite: '#f7f7f3',
}

export const TERMINAL_FONT =
  '"JetBrains Mono", "SF Mono", ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'
