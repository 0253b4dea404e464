import { homedir } from 'node:os'
import { SignalboxError } from '../errors/index.js'
import type { Options } from './args.js'
import { improviser } from './headless/improvise.js'
import { openSession, VERSION } from './open-session.js'
import { Pace } from './pace.js'
import { Permissions } from './player/permissions.js'
import { termination } from './player/play-faults.js'
import { progressOf, Session } from './player/session.js'
import { loadScenario } from './scenario/load.js'
import { colorDepthOf } from './text/ansi.js'
import { App } from './tui/app.js'
import { FullscreenRenderer } from './tui/fullscreen-renderer.js'
import { InlineRenderer } from './tui/inline-renderer.js'
import { replayEntries } from './tui/replay.js'
import { Terminal } from './tui/terminal.js'
import { emptyModel } from './tui/view-model.js'

const MODE_TEXT = { ask: 'asks first', edits: 'edits freely', all: 'asks nothing', read: 'reads only' } as const

/** The program in a terminal: connects script, screen and keys; cleans up at the end. */
export async function runInteractive(options: Options): Promise<void> {
  const { stdin, stdout } = process
  if (options.scenario !== null) loadScenario(options.scenario)
  if (!stdin.isTTY || !stdout.isTTY)
    throw new SignalboxError('E_INPUT', 'the demo agent needs a terminal', {
      next: 'use --headless to run it without one',
    })
  const cwd = process.cwd()
  const { scenario, transcript, records, hooks, home } = openSession(options, 'tour', cwd)
  const model = emptyModel(scenario.placeholder ?? 'Give the agent something to do', MODE_TEXT[options.permissionMode])
  model.committed.push({
    kind: 'banner',
    version: VERSION,
    scenario: scenario.name,
    cwd: cwd.replace(homedir(), '~'),
    isResumed: records.length > 0,
  })
  model.committed.push(...replayEntries(records))
  const rendererOptions = {
    write: (text: string) => terminal.write(text),
    size: () => terminal.size(),
    depth: colorDepthOf(process.env),
    isSynchronized: options.isSynchronized,
    now: Date.now,
  }
  const renderer = options.isFullscreen ? new FullscreenRenderer(rendererOptions) : new InlineRenderer(rendererOptions)
  const app = new App(model, renderer, {
    hasStatusReports: options.hasStatusReports && scenario.osc7501 !== false,
    hasTitle: options.hasTitle,
    topic: scenario.topic ?? scenario.name,
    now: Date.now,
    leave: code => void leave(code),
  })
  const terminal: Terminal = new Terminal(stdin, stdout, {
    onKey: key => app.press(key),
    onResize: () => app.screen.resized(),
    onHangup: () => process.exit(129),
    onStatusProtocol: () => app.onStatusProtocol(),
  })
  const session = new Session({
    scenario,
    surface: app.surface,
    transcript,
    hooks,
    pace: new Pace(options.speed),
    permissions: new Permissions(options.permissionMode, false),
    cwd,
    progress: progressOf(records),
    isResumed: records.length > 0,
    improvise: improviser(scenario, home, cwd),
  })
  let isLeaving = false
  const leave = async (code: number, isFarewell = true) => {
    if (isLeaving) return
    isLeaving = true
    session.background.stopAll()
    app.stop()
    terminal.close()
    if (isFarewell)
      stdout.write(`\r\n◈ Goodbye. To continue this session:\r\n  signalbox-demo --resume ${transcript.id}\r\n`)
    await hooks.notify('SessionEnd', { reason: code === 0 ? 'exit' : 'signal' })
    transcript.close()
    process.exit(code)
  }
  process.on('SIGTERM', () => {
    if (!termination.isIgnored) void leave(143)
  })
  process.on('SIGINT', () => void leave(130))
  process.on('SIGHUP', () => process.exit(129))
  process.on('uncaughtException', error => {
    app.stop()
    terminal.close()
    console.error(error)
    process.exit(70)
  })
  app.attach(terminal, session)
  terminal.open()
  app.screen.start()
  if (await session.start()) app.becomeReady()
  else await leave(1)
}
