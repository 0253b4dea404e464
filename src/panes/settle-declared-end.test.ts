import { describe, expect, it } from 'vitest'
import type { Observation } from '../screen/index.js'
import { parsePack } from '../screen/index.js'
import { DeclaredEnd } from './settle.js'
import { SupervisionFixture } from './testing/supervision-fixture.js'

const look = (over: Partial<Observation>) =>
  ({ busy: false, awaiting: null, terminator: null, anchored: true, ...over }) as Observation
const WORK = look({ busy: true })
const MENU = look({ awaiting: 'permission' })
const END = look({ terminator: { row: 3, outcome: 'done' } })

describe('the declared end of a turn', () => {
  it('is a row that appeared after work or a question', () => {
    for (const before of [WORK, MENU]) {
      const declared = new DeclaredEnd()
      expect([declared.observe(before), declared.observe(END), declared.observe(END)]).toEqual([false, true, true])
    }
  })

  it('is not a row that was already visible during the work, or one without an anchor', () => {
    const woken = new DeclaredEnd()
    expect([woken.observe(look({ busy: true, terminator: END.terminator })), woken.observe(END)]).toEqual([
      false,
      false,
    ])
    const loose = new DeclaredEnd()
    expect([loose.observe(WORK), loose.observe(look({ ...END, anchored: false }))]).toEqual([false, false])
    const first = new DeclaredEnd()
    expect([first.observe(look({})), first.observe(END)]).toEqual([false, false])
  })
})

describe('an agent that ends its turns with a row', () => {
  const PACK = () =>
    parsePack(
      `pack = 1
agent = "closing"
terminator = "required"
terminators = [{ line = '^= finished', outcome = "done" }]
region = [{ name = "composer", kind = "box", top = '^-{4,}$', body = '^> ?', bottom = '^-{4,}$' }]
blocks = [{ kind = "user", first = '^> \\S', strip = 2 }, { kind = "prose", first = '^o ', strip = 2 }]
[[rule]]
id = "working"
view = "thinking"
region = "status"
line = '^\\* working'
busy = true
`,
      'closing',
    )
  const BOX = '\r\n--------\r\n> \r\n--------\u001b[1A\r\u001b[2C'
  const draw = (rows: string) => `\u001b[2J\u001b[H${rows}${BOX}`

  it('is done with that row at once, and without it after three looks', () => {
    const status = (rows: string) => {
      const fixture = new SupervisionFixture({}, PACK()).print(draw('')).advance(1)
      fixture.print(draw('> hello\r\no hi\r\n* working')).advance(1)
      expect(fixture.status).toBe('running')
      fixture.print(draw(rows)).advance(0.06)
      const atOnce = fixture.status
      return [atOnce, fixture.advance(5).status]
    }
    expect(status('> hello\r\no hi\r\n= finished')).toEqual(['done', 'done'])
    expect(status('> hello\r\no hi')[0]).toBe('running')
  })
})
