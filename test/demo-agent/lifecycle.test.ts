import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { DemoTerminal, type HarnessOptions, KEY, temporaryDirectory } from './terminal-harness.js'

const started: DemoTerminal[] = []
afterEach(() => {
  for (const demo of started.splice(0)) demo.close()
})

function start(options: HarnessOptions = {}): DemoTerminal {
  const demo = new DemoTerminal(options)
  started.push(demo)
  return demo
}

function scenarioFile(steps: unknown[], more: Record<string, unknown> = {}): string {
  const file = join(temporaryDirectory(), 'scenario.json')
  writeFileSync(file, JSON.stringify({ name: 'test', turns: [{ steps }], ...more }))
  return file
}

function records(demo: DemoTerminal, id: string): Record<string, unknown>[] {
  const text = readFileSync(join(demo.home, 'sessions', `${id}.jsonl`), 'utf8')
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

describe('keys in the input box', () => {
  it('edit the draft: backspace, ctrl-u, ctrl-j, history', async () => {
    const demo = start({ args: ['--scenario', 'chat'] })
    await demo.until(/^▷ Give the agent/m)
    demo.type('helllo')
    await demo.until('▷ helllo')
    demo.type(`${KEY.backspace.repeat(3)}lo`)
    await demo.until(/^▷ hello$/m)
    demo.type(`${KEY.ctrlJ}world`)
    await demo.until(/^▷ hello\n {2}world$/m)
    demo.type(KEY.ctrlU)
    await demo.until(/^▷ Give the agent/m)
    demo.type('table\r')
    await demo.until('◈ Finished')
    demo.type(KEY.up)
    await demo.until(/^▷ table\n─/m)
  })

  it('a long paste is shown as a chip and sent completely', async () => {
    const demo = start({ args: ['--scenario', 'chat', '--session-id', 'paste'] })
    await demo.until(/^▷ Give/m)
    expect(demo.modes.bracketedPasteMode).toBe(true)
    const text = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n')
    demo.type(`\x1b[200~${text}\x1b[201~`)
    await demo.until('▷ [pasted #1 · 9 lines]')
    demo.type(KEY.enter)
    await demo.until('◈ Finished')
    expect(records(demo, 'paste').find(record => record.type === 'user')?.text).toBe(text)
  })

  it('esc interrupts the turn; the queued prompt is sent next', async () => {
    const file = scenarioFile([{ think: { ms: 100, label: 'Looking' } }, { wait: 100_000 }])
    const demo = start({ args: ['--scenario', file, '--speed', '1'] })
    await demo.ask('first')
    await demo.until(/^[◜◝◞◟] Looking… \d+s · \d+ tokens · esc to stop$/m)
    demo.type('second\r')
    await demo.until('▷ second  queued')
    demo.type(KEY.escape)
    await demo.until('◈ Stopped by you')
    await demo.until('◆ You said: second')
  })

  it('ctrl-c asks first and exits when pressed again', async () => {
    const demo = start()
    await demo.until(/^▷ /m)
    demo.type(KEY.ctrlC)
    await demo.until('press ctrl-c again to exit')
    expect(demo.exit).toBeNull()
    // The question expires after three seconds: if it has, the first of these two asks again.
    demo.type(KEY.ctrlC.repeat(2))
    expect((await demo.exited()).exitCode).toBe(0)
  })
})

describe('the demo agent in a terminal', () => {
  it.each(['inline', 'fullscreen'])('survives every size at a menu, %s', async renderer => {
    const demo = start({
      args: ['--scenario', 'menus', ...(renderer === 'fullscreen' ? ['--fullscreen'] : [])],
      columns: 80,
      rows: 24,
    })
    await demo.ask('wrapped')
    await demo.until('▸ 1. Hold')
    for (const [columns, rows] of [
      [1, 1],
      [500, 200],
      [2, 60],
      [300, 2],
      [17, 5],
    ] as const) {
      demo.resize(columns, rows)
      demo.type(KEY.down)
      const before = demo.bytes.length
      await demo.until(() => demo.bytes.length > before)
      expect(demo.exit).toBeNull()
    }
    demo.resize(80, 24)
    await demo.until(/^ How should late trains be handled\?\n[\s\S]*▸ [12]\. (Hold|Let)/m)
    expect(demo.screen.match(/How should late trains/g)).toHaveLength(1)
    await demo.confirm('◈ Finished')
    expect(demo.everything.match(/◈ Finished/g)).toHaveLength(1)
    expect(demo.everything.match(/^▷ wrapped/gm)).toHaveLength(1)
  })

  it.each(['inline', 'fullscreen'])(
    'survives every size while an answer streams, and prints it once, %s',
    async renderer => {
      const flags = renderer === 'fullscreen' ? ['--fullscreen'] : []
      // The answer must still be streaming after the last size. A busy machine gets a slower
      // answer.
      let demo: DemoTerminal
      let delayMs = 10
      do {
        const file = scenarioFile([{ say: { markdown: `${'word '.repeat(400)}\n\nthe end`, chunk: 10, delayMs } }])
        demo = start({ args: ['--scenario', file, '--speed', '1', ...flags], columns: 80, rows: 50 })
        await demo.ask('go')
        await demo.until('◆ word')
        for (const [columns, rows] of [
          [1, 1],
          [500, 200],
          [3, 90],
          [200, 3],
        ] as const) {
          const before = demo.bytes.length
          demo.resize(columns, rows)
          await demo.until(() => demo.bytes.length > before)
        }
        delayMs *= 4
      } while (demo.bytes.includes('◈ Finished'))
      demo.resize(80, 50)
      await demo.until('◈ Finished')
      expect(demo.everything.match(/the end/g)).toHaveLength(1)
      expect(demo.everything.match(/^▷ go/gm)).toHaveLength(1)
      expect(demo.everything.match(/\bword\b/g)).toHaveLength(400)
    },
  )

  it('draws frames in synchronized updates, and without them under --no-sync', async () => {
    const demo = start({ args: ['--scenario', 'chat'] })
    await demo.ask('hello')
    await demo.until('◈ Finished')
    expect(demo.bytes.match(/\x1b\[\?2026h/g)?.length).toBeGreaterThan(2)
    expect(demo.bytes.match(/\x1b\[\?2026h/g)?.length).toBe(demo.bytes.match(/\x1b\[\?2026l/g)?.length)
    const plain = start({ args: ['--no-sync', '--no-title'] })
    await plain.until(/^▷ /m)
    expect(plain.bytes).not.toContain('?2026')
    expect(plain.bytes).not.toContain('\x1b]2;')
  })

  it('uses no colour with NO_COLOR', async () => {
    const demo = start({ args: ['--scenario', 'chat'], env: { NO_COLOR: '1' } })
    await demo.ask('code')
    await demo.until('◈ Finished')
    expect(demo.bytes).not.toMatch(/\x1b\[[\d;]*[34]8;/)
  })

  it('reports its status by OSC 7501 only to a terminal that answers the query', async () => {
    const demo = start({ args: ['--scenario', 'menus'] })
    await demo.ask('permission')
    await demo.until('May I run this command?')
    await demo.confirm('◈ Finished')
    demo.type(KEY.ctrlD)
    await demo.exited()
    const states = demo.statuses.map(status => /state=(\w+)/.exec(status)?.[1])
    expect(states).toEqual(['idle', 'working', 'blocked', 'working', 'done', 'clear'])
    const blocked = demo.statuses[2]!
    expect(blocked).toContain('kind=permission')
    expect(Buffer.from(/msg=([^:]+)/.exec(blocked)![1]!, 'base64').toString()).toBe('approve Shell: echo clear')
    const deaf = start({ args: ['--scenario', 'chat'], answers: false })
    await deaf.ask('hello')
    await deaf.until('◈ Finished')
    expect(deaf.statuses).toEqual([])
    const forbidden = start({ args: ['--scenario', 'chat', '--no-osc7501'] })
    await forbidden.ask('hello')
    await forbidden.until('◈ Finished')
    expect(forbidden.statuses).toEqual([])
  })

  it('prints 20 000 rows without losing the end', async () => {
    const demo = start({ args: ['--scenario', 'huge'], columns: 120 })
    await demo.ask('go')
    await demo.until('◈ Finished')
    expect(demo.everything).toContain('0019999 the quick signal')
    expect(demo.screen).toContain('◆ That was all.')
  })

  it('exits on SIGTERM and prints the command that resumes the session', async () => {
    const demo = start()
    await demo.until(/^▷ /m)
    demo.signal('SIGTERM')
    expect((await demo.exited()).exitCode).toBe(143)
    expect(demo.screen).toContain('signalbox-demo --resume')
  })
})

describe('start dialogs', () => {
  it('the demo agent exits if the folder is not trusted, and continues if it is', async () => {
    const demo = start({ args: ['--scenario', 'trust'] })
    await demo.until('Do you trust the files in this folder?')
    expect(demo.screen).toMatch(/^ ▸ No, exit$/m)
    await demo.confirm(() => demo.exit !== null)
    expect(demo.exit?.exitCode).toBe(1)
    const again = start({ args: ['--scenario', 'trust'] })
    await again.until('Do you trust')
    again.type(KEY.down)
    await again.confirm(/^▷ Give the agent/m)
  })
})

describe('a crash and a resume', () => {
  it('a crash in the middle of a turn leaves no end of the turn in the log', async () => {
    const demo = start({ args: ['--scenario', 'crash', '--session-id', 'crash-1'] })
    await demo.ask('go')
    expect((await demo.exited()).exitCode).toBe(3)
    expect(demo.everything).not.toContain('◈')
    expect(records(demo, 'crash-1').map(record => record.type)).toEqual(['session', 'user', 'assistant'])
    const again = start({ home: demo.home, args: ['--resume', 'crash-1'] })
    await again.until('· resumed')
    expect(again.screen).toContain('▷ go')
    expect(again.screen).toContain('◆ I was just about to')
    await again.ask('and now?')
    await again.until('◆ This time I stay alive.')
  })

  it('a zombie logs the end of its turn and is killed before it shows it', async () => {
    const demo = start({ args: ['--scenario', 'zombie', '--session-id', 'zombie-1'] })
    await demo.ask('die')
    expect((await demo.exited()).signal).toBe(9)
    expect(demo.everything).not.toContain('◈ Finished')
    expect(records(demo, 'zombie-1').at(-1)).toMatchObject({ type: 'turn_end', outcome: 'done' })
    expect(readFileSync(join(demo.home, 'DEMO.md'), 'utf8')).toContain('done by the demo agent')
  })

  it('a resumed session shows answered menus as text, and an id that is in use is refused', async () => {
    const demo = start({ args: ['--scenario', 'menus', '--session-id', 'menu-1'] })
    await demo.ask('numbered')
    await demo.until('Which aspect')
    demo.type('2')
    await demo.until('◈ Finished')
    const rival = start({ home: demo.home, args: ['--resume', 'menu-1'] })
    expect((await rival.exited()).exitCode).toBe(2)
    expect(rival.screen).toContain('is in use by process')
    demo.type(KEY.ctrlD)
    await demo.exited()
    const twin = start({ home: demo.home, args: ['--session-id', 'menu-1'] })
    expect((await twin.exited()).exitCode).toBe(2)
    expect(twin.screen).toContain('already in use')
    const again = start({ home: demo.home, args: ['--resume', 'menu-1'] })
    await again.until(/^▷ Give|^▷ numbered, plain/m)
    expect(again.screen).toMatch(/^ {2}▸ 2\. Yellow$/m)
    expect(again.screen).toContain('(answered: Yellow)')
  })

  it('a session whose process ended without a trace is not in use by a later process with its number', async () => {
    const demo = start({ args: ['--scenario', 'menus', '--session-id', 'lost-1'] })
    await demo.until(/^▷ /m)
    demo.type(KEY.ctrlD)
    await demo.exited()
    writeFileSync(join(demo.home, 'sessions', 'lost-1.lock'), `${process.pid} 1`)
    const again = start({ home: demo.home, args: ['--resume', 'lost-1'] })
    await again.until(/^▷ /m)
  })
})

describe('hooks of the demo agent', () => {
  it('receive every event, and may answer a permission before the person does', async () => {
    const home = temporaryDirectory()
    const log = join(home, 'hooks.log')
    const hook = join(home, 'hook.mjs')
    writeFileSync(
      hook,
      `import { appendFileSync, readFileSync } from 'node:fs'
const event = JSON.parse(readFileSync(0, 'utf8'))
appendFileSync(${JSON.stringify(log)}, event.hook_event_name + '\\n')
if (event.hook_event_name === 'PermissionRequest') console.log('{"decision":"allow"}')
`,
    )
    const settings = join(home, 'settings.json')
    const events = [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PermissionRequest',
      'PostToolUse',
      'Stop',
      'SessionEnd',
    ]
    const hooks = Object.fromEntries(events.map(event => [event, [{ command: [process.execPath, hook], hold: true }]]))
    writeFileSync(settings, JSON.stringify({ hooks }))
    const demo = start({ home, args: ['--scenario', 'menus', '--settings', settings] })
    await demo.ask('permission')
    await demo.until('◆ The signal is clear.')
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('Stop')
    demo.type(KEY.ctrlD)
    await demo.exited()
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(events)
  })
})
