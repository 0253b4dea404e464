import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openMenu } from '../menu/menu-state.js'
import { MENUS } from '../scenarios/menus.js'
import { lineText } from '../text/style.js'
import { lineWidth } from '../text/wrap.js'
import { EMPTY_COMPOSER } from './composer.js'
import { liveRegion } from './live-region.js'
import { emptyModel, type ViewModel } from './view-model.js'

const model = (change: Partial<ViewModel>): ViewModel => ({ ...emptyModel('Say something', 'asks first'), ...change })

it('the live region shows working row, tasks, agents, queue and input box in this order', () => {
  const { lines } = liveRegion(
    model({
      working: { label: 'Looking', since: 0 },
      turnSince: 0,
      tokens: 1234,
      todo: [
        { text: 'a', status: 'done' },
        { text: 'b', status: 'doing' },
        { text: 'c', status: 'open' },
      ],
      agents: [{ path: '1', name: 'tester', task: 'Try it', isRunning: true, elapsedMs: 2000, tokens: 300 }],
      background: ['sleep'],
      queued: ['next thing'],
    }),
    { columns: 72, rows: 30 },
    3000,
  )
  expect(lines.map(line => lineText(line).trimEnd())).toEqual([
    '',
    '◜ Looking… 3s · 1.2k tokens · esc to stop',
    '',
    '  Tasks 1 of 3 done',
    '  ✔ a',
    '  ◼ b',
    '  ◻ c',
    '',
    '  Agents 1 of 1 running',
    `  ◜ tester  Try it${' '.repeat(38)}2s · 300 tokens`,
    '',
    '▷ next thing  queued',
    '─'.repeat(72),
    '▷ Say something',
    '─'.repeat(72),
    '  esc to stop · enter to queue            1 shell running · asks first',
  ])
})

it('the live region fits every size, with the cursor inside', () => {
  const states = [
    model({}),
    model({ composer: { ...EMPTY_COMPOSER, text: 'a long draft 漢字\nwith lines', cursor: 9 } }),
    ...Object.values(MENUS).map(menu => model({ menu: openMenu(menu) })),
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...states),
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 200 }),
      (state, columns, rows) => {
        const region = liveRegion(state, { columns, rows }, 0)
        expect(region.lines.length).toBeLessThanOrEqual(rows)
        for (const line of region.lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns)
        expect(region.cursor.row).toBeGreaterThanOrEqual(0)
        expect(region.cursor.row).toBeLessThan(Math.max(1, region.lines.length))
        expect(region.cursor.column).toBeLessThan(columns)
      },
    ),
  )
})
