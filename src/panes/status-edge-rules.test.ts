import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePack } from '../screen/index.js'
import { HeuristicFixture } from './heuristics/testing/heuristic-fixture.js'
import { applySignal, INITIAL_STATUS, type StatusSignal } from './status.js'
import { statusTable } from './status-table.js'
import { StatusTracker } from './status-tracker.js'
import { END, osc, START, SupervisionFixture } from './testing/supervision-fixture.js'

/* Rules of supervision that belong to no table. */

const SPINNING = parsePack(
  'pack = 1\nagent = "spin"\n[[rule]]\nid = "title.spin"\nregion = "title"\nview = "thinking"\nline = "^[*+] "\nbusy = true\n',
  'spin',
)

describe('the title of a pane', () => {
  it('counts for 3 s after its last change if it spins, and withdraws its claim when it is empty', () => {
    const fixture = new SupervisionFixture({}, SPINNING).advance(1).print(osc('0;* working'))
    const says = () => fixture.pane.unexpired(fixture.t).map(({ authority }) => authority)
    expect([fixture.status, says()]).toEqual(['running', ['title']])
    fixture.advance(2).print(osc('0;+ working')).advance(2.9)
    expect(says()).toEqual(['title'])
    expect(fixture.advance(0.2) && says()).toEqual([])
    fixture.print(osc('0;* working')).print(osc('0;my project'))
    expect(says()).toEqual([])
  })
})

describe('the run of a flickering screen', () => {
  const startedAt = (again: number) => {
    const tracker = new StatusTracker()
    const reading = { authority: 'screen', view: 'unknown', awaiting: null, isTurnClosed: true } as const
    tracker.read({ ...reading, claim: { is: 'working' } }, 10)
    tracker.read({ ...reading, claim: { is: 'done' } }, 20)
    tracker.read({ ...reading, claim: { is: 'working' } }, again)
    return tracker.state.startedAt
  }
  it('continues after a dip of less than 5 s, and restarts after a longer idle time', () => {
    expect([startedAt(24.9), startedAt(25)]).toEqual([10, 25])
  })
})

describe('applySignal', () => {
  it('refuses an older generation first, then a missing row, then a guard', () => {
    const state = { ...INITIAL_STATUS, generation: 3 }
    const at = (signal: Partial<StatusSignal>) =>
      applySignal(state, { event: 'answered', source: 'screen', t: 1, generation: 3, ...signal }).entry.reason
    expect([at({ generation: 2 }), at({})]).toEqual(['stale_generation', 'no_rule'])
    const waiting = { ...state, status: 'waiting-approval' as const }
    const rest = { event: 'idle', source: 'screen', t: 1, generation: 3, isAsking: true } as const
    expect(applySignal(waiting, rest).entry.reason).toBe('guard:not-asking')
    expect(applySignal(waiting, { ...rest, generation: 2 }).entry.reason).toBe('stale_generation')
  })

  it('starts no run in the future, and does not lower `stateId`', () => {
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

describe('ends and waits of the heuristics', () => {
  const said = (fixture: HeuristicFixture, t: number) => fixture.wait(t).emitted

  it('a prompt right after a spinner is an end at once', () => {
    const fixture = new HeuristicFixture()
    for (let t = 1; t <= 3; t++) fixture.print(t, `\r\u001b[Kfetching ${t}%`)
    expect(fixture.print(3.5, '\r\u001b[K$ ').emitted).toMatchObject({ signal: 'heuristic_done' })
    const still = new HeuristicFixture()
    still.print(1, 'fetched\r\n')
    expect(still.print(3.5, '$ ').emitted).toBeNull()
  })

  it('a prompt that was learned at certain idle counts without a pattern, and for any numbers', () => {
    const prompt = (fixture: HeuristicFixture) => {
      fixture.print(1, 'out\r\njob 12 of me »')
      fixture.wait(1.1)
      return said(fixture, 1.2)
    }
    const fixture = new HeuristicFixture()
    fixture.analyser.learnPrompt('job 7 of me »')
    expect([prompt(fixture)?.reason, prompt(new HeuristicFixture())]).toEqual(['prompt at the cursor', null])
  })

  it('a menu on the row of the cursor is a wait once, when it appears; a list in text is not', () => {
    const fixture = new HeuristicFixture()
    expect(fixture.print(1, 'x\r\n[Y]es or [N]o').emitted).toEqual({
      signal: 'heuristic_wait',
      reason: 'menu appeared',
    })
    expect(said(fixture, 1.5)).toBeNull()
    expect(new HeuristicFixture().print(1, 'press [Y]es\r\nand so on').emitted).toBeNull()
  })

  it('a mark that disappears ends the run before a prompt, but after a question that stays', () => {
    const fixture = new HeuristicFixture()
    fixture.print(1, 'Working (esc to interrupt)')
    expect(fixture.print(2, '\r\u001b[KReally? [y/N] $ ').emitted).toEqual({
      signal: 'heuristic_done',
      reason: 'interrupt mark gone',
    })
    const asked = new HeuristicFixture()
    asked.print(1, 'Working (esc to interrupt)')
    asked.print(2, '\r\u001b[KOverwrite all of it ? ')
    expect([said(asked, 3), said(asked, 4)]).toMatchObject([
      { signal: 'heuristic_wait' },
      { reason: 'interrupt mark gone' },
    ])
  })

  it('a mark that scrolls off while rows change ends no run', () => {
    const fixture = new HeuristicFixture({ live_rows: 3 })
    fixture.print(1, 'Working (esc to interrupt)\r\n')
    for (let t = 2; t < 9; t++) expect(fixture.print(t, `row ${'abcdefghi'[t]}\r\n`).emitted).toBeNull()
  })
})

describe('a counter of supervision', () => {
  const SITUATIONS: Record<string, () => SupervisionFixture> = {
    'status.changed': () => new SupervisionFixture().advance(1).print(START),
    'status.refused': () => {
      const fixture = new SupervisionFixture().print('$ ').advance(1).hook({ kind: 'working' })
      return fixture.runs('x').runs('bash', true)
    },
    'queue.merged': () => flooded(3),
    'queue.dropped': () => flooded(400),
    'reading.contradiction': () => new SupervisionFixture().advance(1).hook({ kind: 'working' }).print(END(0)),
    'reading.authority_s': () => new SupervisionFixture().advance(3),
    'reading.terminal_read_check': () => {
      const fixture = new SupervisionFixture({}, undefined, () => ({ reads: 'no', how: '' }))
      return fixture.advance(1).print(START).advance(1).print('Overwrite it? [y/N] ').advance(3)
    },
    'pane.unknown_s': () => new SupervisionFixture().advance(3),
    'pane.stuck': () =>
      new SupervisionFixture({ panes: { stuck_after_s: 5 } }).advance(1).hook({ kind: 'working' }).advance(7),
    'pane.flicker': () => {
      const fixture = new SupervisionFixture().advance(1)
      for (let n = 0; n < 8; n++) fixture.print(n % 2 === 0 ? START : END(0)).advance(0.1)
      return fixture
    },
    'heuristic.emitted': () =>
      new SupervisionFixture().runs('node').print('header\r\n').advance(1).print('\r\na\r\nb\r\n').advance(1),
    'heuristic.suppressed': () =>
      new SupervisionFixture().runs('node').print('header\r\n').advance(1).print('typed').advance(1),
  }

  it.each(Object.entries(SITUATIONS))('%s is raised when its situation occurs, and not before', (name, situation) => {
    expect(new SupervisionFixture().counters.total(name)).toBe(0)
    expect(situation().counters.total(name)).toBeGreaterThan(0)
  })
})

/** Content updates that are not processed. */
function flooded(count: number): SupervisionFixture {
  const fixture = new SupervisionFixture({ queue: { max: 20 } }).advance(1)
  const drain = fixture.supervisor.drain
  fixture.supervisor.drain = () => {}
  for (let n = 0; n < count; n++)
    fixture.supervisor.recordSignal('content', count > 100 && n % 2 === 0 ? 'other' : 'update', n)
  fixture.supervisor.drain = drain
  return fixture
}

describe('the prompt at the cursor', () => {
  const shows = (...screens: string[]) => {
    const fixture = new SupervisionFixture().advance(1)
    for (const screen of screens) fixture.print(screen).advance(3)
    const { view, payload } = fixture.pane.state(fixture.t)
    return view === 'idle_prompt' ? (payload as { prompt: string }).prompt : view
  }

  it('is recognised in another directory, but text that only ends in its sign is not', () => {
    const first = 'me@box:/srv/some/deep/place# '
    expect(shows(first, 'cd\r\nme@box:~# ')).toBe('shell')
    expect(shows(first, './run\r\npart 3 # ')).toBe('tool_running')
  })

  it('is a question if it lists single keys before a question mark, but not for a list in a sentence', () => {
    expect(shows('$ ', 'git add -p\r\n(1/2) Stage this hunk [y,n,q,a,d,e,?]? ')).toBe('tool_menu')
    expect(shows('$ ', './run\r\nCopied [a,b] from the list ')).toBe('tool_running')
  })

  it('waits for its next row if it continues a statement', () => {
    expect(shows('$ ', 'sqlite3\r\nsqlite> ', 'select\r\n   ...> ')).toBe('repl')
    expect(shows('$ ', 'mysql\r\nmysql> ', 'select\r\n    -> ')).toBe('repl')
  })
})
