import { expect, test } from 'vitest'
import { recordOf } from '../../approvals/testing/fixtures.js'
import { approvalCard, type CardContext } from './approval-card.js'

const CONTEXT = {
  now: 5_000,
  utcOffset: 0,
  isDetailed: true,
  project: 'shop',
  sessionName: null,
  machine: null,
  lastPrompt: null,
  view: 'plain',
  isSeen: false,
  ticked: [],
  page: 0,
  topic: null,
  link: null,
  changes: null,
} as unknown as CardContext

const buttons = (record: ReturnType<typeof recordOf>, context: Partial<CardContext> = {}) =>
  approvalCard(record, { ...CONTEXT, ...context }).buttons.flat()
const interrupting = expect.objectContaining({
  text: 'Deny and interrupt',
  action: expect.objectContaining({ do: 'decide', option: 'No', thenInterrupt: true }),
})

test('the card flags an agent that asks in a loop and has a button to stop it', () => {
  const looping = recordOf({ repeats: 5 })
  expect(approvalCard(looping, CONTEXT).html).toContain('<b>Asks in a loop:</b> 5 times within 10 minutes')
  expect(buttons(looping)).toContainEqual(interrupting)
  expect(approvalCard(recordOf({}), CONTEXT).html).not.toContain('in a loop')
  expect(buttons(recordOf({}))).not.toContainEqual(interrupting)
  expect(buttons(recordOf({}), { view: 'more' })).toContainEqual(interrupting)
})

test('the card shows where details are only if the chat shows none, and names what the tool does', () => {
  const empty = recordOf({ display: { ...recordOf({}).display, blocks: [] } })
  expect(approvalCard(empty, CONTEXT).html).toContain('The agent shows no details. Check its terminal')
  expect(approvalCard(empty, { ...CONTEXT, isDetailed: false }).html).toContain('in a private chat only')
  const { request } = recordOf({})
  const titled = approvalCard(recordOf({ request: { ...request, tool: 'Use Edit' } }), CONTEXT).html
  expect(titled).toContain('wants to edit')
})

test('a request without a session cannot be interrupted', () => {
  const { session: _, ...subject } = recordOf({}).subject
  expect(buttons(recordOf({ subject, repeats: 5 }))).not.toContainEqual(interrupting)
})

test('the card names files that changed since the last request, unless the chat shows no details', () => {
  const changed = recordOf({ changed: ['<a>.ts'] })
  expect(approvalCard(changed, CONTEXT).html).toContain('<b>Changed since you last looked:</b> &lt;a&gt;.ts')
  expect(approvalCard(changed, { ...CONTEXT, isDetailed: false }).html).not.toContain('Changed since')
})

test('hidden characters in the label of an option are made visible on its button', () => {
  const { request } = recordOf({})
  const label = 'Yes, and do not ask again for echo safe\u202e'
  const hidden = { ...request, options: [{ ...request.options[0]!, key: label, label }] }
  const texts = approvalCard(recordOf({ kind: 'question', request: hidden }), CONTEXT)
    .buttons.flat()
    .map(({ text }) => text)
  expect(texts).toContain('Yes, and do not ask again for echo safe⟦U+202E⟧')
})

test('the card shows whether an answer in the agent’s own dialog allowed or denied', () => {
  const actor = {
    kind: 'observed' as const,
    id: 'terminal',
    name: 'a person at the terminal',
    role: 'approver' as const,
  }
  const ended = (result: 'allowed' | 'denied') =>
    approvalCard(
      recordOf({
        state: 'applied',
        outcome: { at: 2, observed: { actor, surface: 'terminal', option: null, result } },
      }),
      CONTEXT,
    ).html
  expect(ended('denied')).toContain('⛔ Denied at the terminal')
  expect(ended('allowed')).toContain('✅ Allowed at the terminal')
})
