import { describe, expect, test } from 'vitest'
import type { ApprovalRecord } from '../../approvals/index.js'
import { isAsDecided, screenAnswerOf } from './request-answer.js'

type Option = ApprovalRecord['request']['options'][number]

const option = (label: string, meaning: string): Option =>
  ({ key: label, label, meaning, from: 'agent', danger: null }) as Option
const OURS = [option('allow', 'allow-once'), option('deny', 'deny')]

/** A request that a hook reported, with its menu. */
function decided(wanted: string, screen: Option[], more: object = {}): ApprovalRecord {
  return {
    request: { options: OURS, questions: [] },
    screenOptions: screen,
    decision: { option: wanted, ...more },
  } as unknown as ApprovalRecord
}

describe('the option on screen for a decision', () => {
  const yes = option('Yes, proceed', 'allow-once')
  const tell = option('No, and tell Codex what to do differently', 'deny-with-text')

  test('is found by meaning if the menu has other labels', () => {
    expect(screenAnswerOf(decided('allow', [yes, tell]))).toEqual({ label: yes.label })
  })

  test('is a plain No for a denial, else the nearest option', () => {
    expect(screenAnswerOf(decided('deny', [yes, tell]))).toEqual({ label: tell.label })
    expect(screenAnswerOf(decided('deny', [yes, tell, option('Cancel', 'cancel')]))).toEqual({ label: 'Cancel' })
    expect(screenAnswerOf(decided('deny', [yes, tell, option('No', 'deny')]))).toEqual({ label: 'No' })
    expect(screenAnswerOf(decided('deny', [yes, tell], { note: 'not now' }))).toEqual({
      label: tell.label,
      text: 'not now',
    })
  })

  test('is null if the menu has no such option, or several', () => {
    expect(screenAnswerOf(decided('deny', [yes]))).toBeNull()
    expect(screenAnswerOf(decided('allow', [tell]))).toBeNull()
    expect(screenAnswerOf(decided('deny', [option('No', 'deny'), option('Never', 'deny')]))).toBeNull()
  })
})

describe('the check that the agent did what was decided', () => {
  const edited = decided('allow', [], { editedInput: { command: 'ls -l' }, tier: 'allow-once' })
  const ran = (by: string, command: string, result: 'allowed' | 'denied' = 'allowed') => ({
    record: edited,
    proof: {
      result,
      by,
      tool: { kind: 'tool', state: 'done', key: 'c', tool: 'Shell', input: { command } } as const,
    },
  })

  test('requires that an edited input is the one that ran', () => {
    expect(isAsDecided(ran('hook', 'ls -l'))).toBe(true)
    expect(isAsDecided(ran('hook', 'rm -rf x'))).toBe(false)
  })

  test('accepts a transcript as proof that the tool ran, not of its input', () => {
    expect(isAsDecided(ran('transcript', 'ls'))).toBe(true)
    expect(isAsDecided(ran('transcript', 'ls', 'denied'))).toBe(false)
  })
})
