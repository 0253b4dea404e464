import type { Terminal } from '@xterm/xterm'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TextFrame } from '../api/types'
import { canDecide } from '../store/live'
import { isScreenReader, terminalFontSize } from '../store/prefs'
import { getJson } from '../transport/request'
import { MinusIcon, PlusIcon } from '../ui/icons'
import { anchorOf } from './anchor'
import { KeyRow } from './key-row'
import { TERMINAL_FONT, terminalTheme } from './palette'
import { PasteDialog } from './paste-dialog'
import { onPinch } from './pinch'
import { type Input, TerminalSocket } from './socket'

/**
 * On a narrower page all columns would be unreadably small: the text stays readable, and the screen
 * scrolls sideways.
 */
const NARROW_PX = 480
const SMALLER_PX = 3
/** Smaller text than this is not readable, so a wider screen scrolls sideways. */
const READABLE_PX = 9
/** To show all rows the text becomes no smaller than this: rows scroll well. */
const EASY_PX = 11

type State = 'connecting' | 'live' | 'closed' | 'ended'

/**
 * The live screen of a pane. It is a viewer until the person takes the keyboard. Then all keys go
 * to the agent, except Ctrl-Shift-., which leaves the terminal. Pastes of more than one line are
 * shown before they are sent.
 */
export function TerminalView({ pane, isPhone }: { pane: string; isPhone: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const socket = useRef<TerminalSocket | null>(null)
  const screen = useRef<Terminal | null>(null)
  const fit = useRef<(() => void) | null>(null)
  const [state, setState] = useState<State>('connecting')
  const [input, setInput] = useState<Input | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [pasted, setPasted] = useState<string | null>(null)
  const [plain, setPlain] = useState<string | null>(null)
  const isMine = input?.isYours === true
  const mine = useRef(false)
  mine.current = isMine

  useEffect(() => {
    let isDisposed = false
    let dispose: () => void = () => undefined
    void import('./xterm').then(({ Terminal, FitAddon }) => {
      if (isDisposed || !box.current) return
      const terminal = new Terminal({
        fontFamily: TERMINAL_FONT,
        fontSize: terminalFontSize.peek(),
        lineHeight: 1.15,
        theme: terminalTheme,
        scrollback: 2_000,
        cursorBlink: false,
        screenReaderMode: isScreenReader.peek(),
        allowProposedApi: false,
        disableStdin: false,
        convertEol: false,
      })
      const fitter = new FitAddon()
      terminal.loadAddon(fitter)
      terminal.open(box.current)
      screen.current = terminal
      /** A viewer sees all columns, and all rows if little is missing: the text becomes smaller. */
      const scale = () => {
        const element = box.current
        const shown = element?.querySelector<HTMLElement>('.xterm-screen')
        if (!element || !shown || shown.offsetWidth === 0) return
        const wanted = terminalFontSize.peek()
        const now = terminal.options.fontSize ?? wanted
        const fits = (now * (element.clientWidth - 28)) / shown.offsetWidth
        const fitsHigh = (now * (element.clientHeight - 24)) / shown.offsetHeight
        const size = mine.current ? wanted : viewerFontSize(wanted, fits, fitsHigh, element.clientWidth)
        if (size !== now) terminal.options.fontSize = size
      }
      const anchor = anchorOf(terminal, box.current)
      const proposed = fitter.proposeDimensions() ?? { cols: 80, rows: 24 }
      const connection = new TerminalSocket(
        pane,
        { wants: 'view', ...sized(proposed) },
        {
          state: setState,
          input: setInput,
          problem: setProblem,
          exited: () => setState('ended'),
          resized: (cols, rows) => {
            terminal.resize(cols, rows)
            scale()
            anchor.set()
          },
          bytes: bytes => terminal.write(bytes, anchor.keep),
          snapshot: ({ cols, rows, data }) => {
            terminal.reset()
            terminal.resize(cols, rows)
            terminal.write(data, anchor.set)
            scale()
          },
        },
      )
      socket.current = connection
      const size = () => {
        scale()
        anchor.set()
        if (!mine.current) return
        const wanted = fitter.proposeDimensions()
        if (!wanted || !Number.isFinite(wanted.cols)) return
        const { cols, rows } = sized(wanted)
        connection.resize(cols, rows)
      }
      fit.current = size
      const observer = new ResizeObserver(size)
      observer.observe(box.current)
      terminal.onData(data => mine.current && connection.input(data))
      terminal.attachCustomKeyEventHandler(event => handleKey(event, terminal, { isHeld: mine.current }))
      const onPaste = (event: ClipboardEvent) => {
        const text = event.clipboardData?.getData('text') ?? ''
        if (!mine.current || !/[\n\r]|[^\P{Cc}\t]/u.test(text)) return
        event.preventDefault()
        event.stopPropagation()
        setPasted(text)
      }
      box.current.addEventListener('paste', onPaste, true)
      const stopPinching = onPinch(box.current, {
        size: () => terminalFontSize.peek(),
        resize: to => (terminalFontSize.value = Math.max(8, Math.min(24, Math.round(to)))),
      })
      dispose = () => {
        observer.disconnect()
        stopPinching()
        connection.close()
        terminal.dispose()
      }
    })
    return () => {
      isDisposed = true
      dispose()
    }
  }, [pane])

  useEffect(() => {
    fit.current?.()
  }, [terminalFontSize.value])

  useEffect(() => {
    if (!isMine) return
    fit.current?.()
    screen.current?.focus()
  }, [isMine])

  const readPlain = async () => {
    if (plain !== null) return setPlain(null)
    const text = await getJson<TextFrame>(`/panes/${pane}/frame?format=text`).then(
      ({ lines }) => lines.join('\n'),
      error => (error as Error).message,
    )
    setPlain(text)
  }

  return (
    <div class={`term ${isMine ? 'is-mine' : ''}`}>
      <div class="terminal-bar">
        <InputLine state={state} input={input} problem={problem} />
        <div class="row" style={{ marginLeft: 'auto', gap: '2px' }}>
          <button type="button" class="btn quiet" aria-pressed={plain !== null} onClick={() => void readPlain()}>
            Plain text
          </button>
          <button
            type="button"
            class="btn quiet icon"
            aria-label="Smaller text"
            onClick={() => (terminalFontSize.value = Math.max(8, terminalFontSize.value - 1))}
          >
            <MinusIcon />
          </button>
          <button
            type="button"
            class="btn quiet icon"
            aria-label="Larger text"
            onClick={() => (terminalFontSize.value = Math.min(24, terminalFontSize.value + 1))}
          >
            <PlusIcon />
          </button>
          {isMine && (
            <button type="button" class="btn" onClick={() => socket.current?.leave()}>
              Release keyboard
            </button>
          )}
          {state !== 'ended' && !isMine && (
            <button
              type="button"
              class="btn"
              disabled={!canDecide.value || state !== 'live'}
              onClick={() => socket.current?.takeKeyboard()}
            >
              Take keyboard
            </button>
          )}
        </div>
      </div>
      {plain !== null ? (
        <pre class="terminal-plain" tabIndex={0} role="region" aria-label="Terminal as plain text">
          {plain}
        </pre>
      ) : null}
      <div class="terminal-box" ref={box} hidden={plain !== null} />
      {isPhone && isMine && <KeyRow onKeys={keys => socket.current?.input(keys)} />}
      {pasted !== null && (
        <PasteDialog
          text={pasted}
          onPaste={() => {
            screen.current?.paste(pasted)
            setPasted(null)
          }}
          onClose={() => setPasted(null)}
        />
      )}
    </div>
  )
}

function InputLine({ state, input, problem }: { state: State; input: Input | null; problem: string | null }) {
  if (problem) return <span class="small tone-danger">{problem}</span>
  if (state === 'ended') return <span class="small">The terminal has ended</span>
  if (state !== 'live') return <span class="small">Connecting to the terminal…</span>
  if (input?.isYours)
    return (
      <span class="small">
        You have the keyboard
        <span class="leave-hint">
          {' '}
          · <kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>.</kbd> leaves the terminal
        </span>
      </span>
    )
  if (input?.holder === 'person') return <span class="small">{input.name ?? 'Another person'} has the keyboard</span>
  if (input?.holder === 'signalbox') return <span class="small">Signalbox is typing</span>
  return <span class="small">View only</span>
}

/** Returns false if the page handles the key, not the terminal. */
function handleKey(event: KeyboardEvent, terminal: Terminal, { isHeld }: { isHeld: boolean }): boolean {
  // A viewer leaves the terminal with Tab.
  if (event.key === 'Tab' && !isHeld) return false
  if (event.ctrlKey && event.shiftKey && (event.key === '.' || event.key === '>' || event.code === 'Period')) {
    event.preventDefault()
    terminal.blur()
    const next = document.querySelector<HTMLElement>('#composer, main h1')
    next?.focus()
    return false
  }
  return true
}

function viewerFontSize(wanted: number, wide: number, high: number, width: number): number {
  if (width < NARROW_PX) return Math.max(7, wanted - SMALLER_PX)
  const fits = Math.min(wide, Math.max(EASY_PX, high))
  return Math.min(wanted, Math.max(READABLE_PX, Math.floor(fits * 4) / 4))
}

/** With fewer rows an agent cuts off its dialogs, and people cannot answer them. */
const ROWS_MIN = 20
const SIZE_MAX = 400

function sized({ cols, rows }: { cols: number; rows: number }): { cols: number; rows: number } {
  return { cols: Math.max(2, Math.min(SIZE_MAX, cols)), rows: Math.max(ROWS_MIN, Math.min(SIZE_MAX, rows)) }
}
