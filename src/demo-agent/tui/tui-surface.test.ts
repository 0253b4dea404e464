import { expect, it } from 'vitest'
import type { Status } from './program-status.js'
import { Screen } from './screen.js'
import { TuiSurface } from './tui-surface.js'
import { emptyModel } from './view-model.js'

const ENTER = { name: 'enter', text: '', ctrl: false, alt: false }

function surfaceAt(clock: { now: number }) {
  const statuses: Status[] = []
  const renderer = { start() {}, draw() {}, reset() {}, stop() {} }
  const screen = new Screen(emptyModel('', ''), renderer, () => undefined)
  const signals = { status: (status: Status) => statuses.push(status), setTopic() {}, raw() {} }
  return {
    surface: new TuiSurface(
      () => screen,
      signals,
      () => clock.now,
    ),
    model: screen.model,
    statuses,
  }
}

const menu = { question: 'Go?', options: [{ label: 'Yes' }, { label: 'No' }] }

it('a menu ignores Enter in its first 100 ms, and accepts it afterwards', async () => {
  const clock = { now: 1000 }
  const { surface, model, statuses } = surfaceAt(clock)
  const answer = surface.ask({ menu, call: null, signal: new AbortController().signal })
  clock.now = 1099
  expect(surface.takeMenuKey(ENTER)).toBe(true)
  expect(model.menu).not.toBeNull()
  clock.now = 1100
  surface.takeMenuKey(ENTER)
  expect((await answer).answers[0]?.labels).toEqual(['Yes'])
  expect(model.menu).toBeNull()
  expect(statuses.map(status => status.state)).toEqual(['blocked', 'working'])
})

it('a menu that was answered elsewhere is closed', async () => {
  const { surface, model } = surfaceAt({ now: 0 })
  const withdrawn = new AbortController()
  const answer = surface.ask({ menu, call: null, signal: withdrawn.signal })
  withdrawn.abort()
  await expect(answer).rejects.toThrow('interrupted')
  expect(model.menu).toBeNull()
  expect(surface.takeMenuKey(ENTER)).toBe(false)
})

it('finished paragraphs are printed with one bullet while the rest still grows', () => {
  const { surface, model } = surfaceAt({ now: 0 })
  surface.say('First.\n\nSec')
  expect(model.committed).toEqual([{ kind: 'prose', markdown: 'First.\n\n', isLead: true }])
  expect(model.open).toEqual([{ kind: 'prose', markdown: 'Sec', isLead: false }])
  surface.say('ond.')
  surface.finishSaying()
  expect(model.open).toEqual([])
  expect(model.committed[1]).toEqual({ kind: 'prose', markdown: 'Second.', isLead: false })
})

it('a table row is held back until it is complete', () => {
  const { surface, model } = surfaceAt({ now: 0 })
  surface.say('| a |\n|---|\n| 1 |\n| 2')
  expect(model.open).toEqual([{ kind: 'prose', markdown: '| a |\n|---|\n| 1 |\n', isLead: true }])
})
