import type { Terminal } from '@xterm/xterm'
import { useEffect, useRef } from 'preact/hooks'
import { TERMINAL_FONT, terminalTheme } from '../terminal/palette'
import type { Cast } from './cast'
import { Player } from './player'

/** The terminal at a position of the recording. */
export function ReplayScreen(props: {
  cast: Cast
  ms: number
  label?: string
  onText?(lines: readonly string[]): void
}) {
  const { cast, ms } = props
  const box = useRef<HTMLDivElement>(null)
  const player = useRef<Player | null>(null)
  const wanted = useRef(ms)
  wanted.current = ms
  const onText = useRef(props.onText)
  onText.current = props.onText
  useEffect(() => {
    let dispose: () => void = () => undefined
    let isDisposed = false
    void import('../terminal/xterm').then(({ Terminal: Emulator }) => {
      if (isDisposed || !box.current) return
      const terminal = new Emulator({
        fontFamily: TERMINAL_FONT,
        fontSize: 13,
        lineHeight: 1.15,
        theme: terminalTheme,
        disableStdin: true,
        scrollback: 500,
        cols: cast.cols,
        rows: cast.rows,
      })
      terminal.open(box.current)
      // The page handles all keys, Tab above all.
      terminal.attachCustomKeyEventHandler(() => false)
      const fit = () => {
        const width = box.current?.clientWidth ?? 0
        const screen = box.current?.querySelector<HTMLElement>('.xterm-screen')
        if (!screen || screen.offsetWidth === 0) return
        const size = ((terminal.options.fontSize ?? 13) * (width - 28)) / screen.offsetWidth
        terminal.options.fontSize = Math.max(6, Math.min(15, Math.floor(size * 2) / 2))
      }
      requestAnimationFrame(fit)
      const observer = new ResizeObserver(fit)
      observer.observe(box.current)
      // The terminal parses its input later, in chunks: the text is complete after the last of
      // them.
      player.current = new Player(cast, terminal, () => onText.current?.(linesOf(terminal)))
      player.current.seek(wanted.current)
      dispose = () => {
        observer.disconnect()
        player.current = null
        terminal.dispose()
      }
    })
    return () => {
      isDisposed = true
      dispose()
    }
  }, [cast])
  useEffect(() => player.current?.seek(ms), [ms])
  return <div class="terminal-box replay-screen" ref={box} role="region" aria-label={props.label ?? 'Terminal'} />
}

/** The visible rows without trailing blanks, and without empty rows at the bottom. */
function linesOf({ buffer, rows }: Terminal): string[] {
  const { active } = buffer
  const lines = Array.from(
    { length: rows },
    (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
  )
  while (lines.at(-1) === '') lines.pop()
  return lines
}
