import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePack } from '../screen/index.js'
import { GuessBench } from './heuristics/testing/guess-bench.js'
import { applySignal, INITIAL_STATUS, type StatusSignal } from './status.js'
import { statusTable } from './status-table.js'
import { StatusTracker } from './status-tracker.js'
import { Bench, END, osc, START } from './testing/bench.js'

/* Rules of the specification that belong to no table of their own; `rules.test.ts` is the list of all of them. */

const SPINNING = parsePack(
  'pack = 1\nagent = "spin"\n[[rule]]\nid = "title.spin"\nregion = "title"\nview = "thinking"\nline = "^[*+] "\nbusy = true\n',
  'spin',
)

describe('§1 titles', () => {
  it('a spinning title counts for 3 s after its last change, a title that says nothing takes its word back', () => {
    const bench = new Bench({}, SPINNING).advance(1).print(osc('0;* working'))
    const says = () => bench.pane.standing(bench.t).map(({ authority }) => authority)
    expect([bench.status, says()]).toEqual(['running', ['title']])
    bench.advance(2).print(osc('0;+ working')).advance(2.9)
    expect(says()).toEqual(['title'])
    expect(bench.advance(0.2) && says()).toEqual([])
    bench.print(osc('0;* working')).print(osc('0;my project'))
    expect(says()).toEqual([])
  })
})

describe('§1 the run of a blinking screen', () => {
  const startedAt = (again: number) => {
    const tracker = new StatusTracker()
    const reading = { authority: 'screen', view: 'unknown', awaiting: null, isTurnClosed: true } as const
    tracker.read({ ...reading, claim: { is: 'working' } }, 10)
    tracker.read({ ...reading, claim: { is: 'done' } }, 20)
    tracker.read({ ...reading, claim: { is: 'working' } }, again)
    return tracker.state.startedAt
  }
  it('goes on after a dip of less than 5 s, and is another one after a longer rest', () => {
    expect([startedAt(24.9), startedAt(25)]).toEqual([10, 25])
  })
})

describe('§2.1 the order of refusal', () => {
  it('is the older generation, then no rule, then the guard', () => {
    const state = { ...INITIAL_STATUS, generation: 3 }
    const at = (signal: Partial<StatusSignal>) =>
      applySignal(state, { event: 'answered', source: 'screen', t: 1, generation: 3, ...signal }).entry.reason
    expect([at({ generation: 2 }), at({})]).toEqual(['stale_generation', 'no_rule'])
    const waiting = { ...state, status: 'waiting-approval' as const }
    const rest = { event: 'rest', source: 'screen', t: 1, generation: 3, isAsking: true } as const
    expect(applySignal(waiting, rest).entry.reason).toBe('guard:not-asking')
    expect(applySignal(waiting, { ...rest, generation: 2 }).entry.reason).toBe('stale_generation')
  })

  it('whatever comes, the start of a run is never in the future and `stateId` never falls', () => {
    const step = fc.tuple(fc.constantFrom(...statusTable.events), fc.constantFrom('hook', 'screen', 'user'), fc.nat(9))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), steps => {
        let state = INITIAL_STATUS
        let t = 0
        for (const [event, source, passed] of steps) {
          t += passed
          const after = applySignal(state, { event, source: source as 'hook', t, generation: 0 }).state
          expect(after.startedAt).toBeLessThanOrEqual(t)
          expect(after.stateId).toBeGreaterThanOrEqual(state.stateId)
          state = after
        }
      }),
    )
  })
})

describe('§6.4 ends and waits, the first that holds', () => {
  const said = (bench: GuessBench, t: number) => bench.wait(t).emitted

  it('a prompt that comes while something spun a moment ago is an end at once', () => {
    const bench = new GuessBench()
    for (let t = 1; t <= 3; t++) bench.print(t, `\r\u001b[Kfetching ${t}%`)
    expect(bench.print(3.5, '\r\u001b[K$ ').emitted).toMatchObject({ signal: 'heuristic_done' })
    const still = new GuessBench()
    still.print(1, 'fetched\r\n')
    expect(still.print(3.5, '$ ').emitted).toBeNull()
  })

  it('a prompt that was learned at a certain rest counts without a pattern, numbers aside', () => {
    const prompt = (bench: GuessBench) => {
      bench.print(1, 'out\r\njob 12 of me »')
      bench.wait(1.1)
      return said(bench, 1.2)
    }
    const bench = new GuessBench()
    bench.analyser.learnPrompt('job 7 of me »')
    expect([prompt(bench)?.reason, prompt(new GuessBench())]).toEqual(['prompt at the cursor', null])
  })

  it('a menu on the row of the cursor waits once, by appearing; in a list of text it does not', () => {
    const bench = new GuessBench()
    expect(bench.print(1, 'x\r\n[Y]es or [N]o').emitted).toEqual({ signal: 'heuristic_wait', reason: 'menu appeared' })
    expect(said(bench, 1.5)).toBeNull()
    expect(new GuessBench().print(1, 'press [Y]es\r\nand so on').emitted).toBeNull()
  })

  it('a mark that went is an end at once with a prompt behind it; without one, a question that stands is heard first', () => {
    const bench = new GuessBench()
    bench.print(1, 'Working (esc to interrupt)')
    expect(bench.print(2, '\r\u001b[KReally? [y/N] $ ').emitted).toEqual({
      signal: 'heuristic_done',
      reason: 'interrupt mark gone',
    })
    const asked = new GuessBench()
    asked.print(1, 'Working (esc to interrupt)')
    asked.print(2, '\r\u001b[KOverwrite all of it ? ')
    expect([said(asked, 3), said(asked, 4)]).toMatchObject([
      { signal: 'heuristic_wait' },
      { reason: 'interrupt mark gone' },
    ])
  })

  it('a mark that scrolls off while rows change ends nothing', () => {
    const bench = new GuessBench({ live_rows: 3 })
    bench.print(1, 'Working (esc to interrupt)\r\n')
    for (let t = 2; t < 9; t++) expect(bench.print(t, `row ${'abcdefghi'[t]}\r\n`).emitted).toBeNull()
  })
})

describe('§9 counters', () => {
  const SITUATIONS: Record<string, () => Bench> = {
    'status.changed': () => new Bench().advance(1).print(START),
    'status.refused': () => {
      const bench = new Bench().advance(1).hook({ is: 'working' })
      bench.supervisor.runs({ name: 'x', pid: 1, commandLine: 'x', isShell: false, agent: null }, bench.t)
      return bench.runs('bash', true)
    },
    'queue.merged': () => flooded(3),
    'queue.dropped': () => flooded(400),
    'reading.contradiction': () => new Bench().advance(1).hook({ is: 'working' }).print(END(0)),
    'reading.authority_s': () => new Bench().advance(3),
    'reading.witness': () => {
      const bench = new Bench({}, undefined, () => ({ reads: 'no', how: '' }))
      return bench.advance(1).print(START).advance(1).print('Overwrite it? [y/N] ').advance(3)
    },
    'pane.unknown_s': () => new Bench().advance(3),
    'pane.stuck': () => new Bench({ panes: { stuck_after_s: 5 } }).advance(1).hook({ is: 'working' }).advance(7),
    'pane.flicker': () => {
      const bench = new Bench().advance(1)
      for (let n = 0; n < 8; n++) bench.print(n % 2 === 0 ? START : END(0)).advance(0.1)
      return bench
    },
    'heuristic.emitted': () =>
      new Bench().runs('node').print('header\r\n').advance(1).print('\r\na\r\nb\r\n').advance(1),
    'heuristic.suppressed': () => new Bench().runs('node').print('header\r\n').advance(1).print('typed').advance(1),
  }

  it.each(Object.entries(SITUATIONS))('%s is counted where it happens, and not before', (name, situation) => {
    expect(new Bench().counters.total(name)).toBe(0)
    expect(situation().counters.total(name)).toBeGreaterThan(0)
  })
})

/** Content updates that nobody works off. */
function flooded(count: number): Bench {
  const bench = new Bench({ queue: { max: 20 } }).advance(1)
  const drain = bench.supervisor.drain
  bench.supervisor.drain = () => {}
  for (let n = 0; n < count; n++) bench.supervisor.note('content', count > 100 && n % 2 === 0 ? 'other' : 'update', n)
  bench.supervisor.drain = drain
  return bench
}

describe('§6.3 prompts', () => {
  const shows = (...screens: string[]) => {
    const bench = new Bench().advance(1)
    for (const screen of screens) bench.print(screen).advance(3)
    const { view, payload } = bench.pane.state(bench.t)
    return view === 'idle_prompt' ? (payload as { prompt: string }).prompt : view
  }

  it('the prompt in another directory is the same prompt; what only ends in its sign is not', () => {
    const first = 'me@box:/srv/some/deep/place# '
    expect(shows(first, 'cd\r\nme@box:~# ')).toBe('shell')
    expect(shows(first, './run\r\npart 3 # ')).toBe('tool_running')
  })

  it('a list of single keys with a question mark behind it asks; a list in a sentence does not', () => {
    expect(shows('$ ', 'git add -p\r\n(1/2) Stage this hunk [y,n,q,a,d,e,?]? ')).toBe('tool_menu')
    expect(shows('$ ', './run\r\nCopied [a,b] from the list ')).toBe('tool_running')
  })

  it('a statement that goes on waits for its next row', () => {
    expect(shows('$ ', 'sqlite3\r\nsqlite> ', 'select\r\n   ...> ')).toBe('repl')
    expect(shows('$ ', 'mysql\r\nmysql> ', 'select\r\n    -> ')).toBe('repl')
  })
})
