import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../config/index.js'
import { Eligibility, type EligibilityContext } from './eligibility.js'

const settings = loadConfig({ environment: {}, userFile: '/nonexistent/config.toml' }).config.heuristics
const question = (t: number, more: Partial<EligibilityContext> = {}): EligibilityContext => ({
  t,
  mode: 'auto',
  jobNames: ['node'],
  title: '',
  agentPrograms: ['claude'],
  promptAt: null,
  hasHigher: false,
  anchoredAt: null,
  isUnknownAlternate: false,
  resizedAt: null,
  ...more,
})
const ask = (...questions: EligibilityContext[]) => {
  const eligibility = new Eligibility(settings)
  return questions.map(one => eligibility.check(one))
}

describe('the heuristics', () => {
  it('apply to a listed program without reports', () => {
    expect(ask(question(0))).toEqual([null])
    expect(ask(question(0, { jobNames: ['claude'] }))).toEqual([null])
  })

  it('do not apply if either switch is off', () => {
    expect(ask(question(0, { mode: 'off' }))).toEqual(['off'])
    expect(new Eligibility({ ...settings, mode: 'off' }).check(question(0))).toBe('off')
  })

  it('do not apply to unlisted programs; a title counts only without a job name', () => {
    expect(ask(question(0, { jobNames: ['make'] }))).toEqual(['not_listed'])
    expect(ask(question(0, { jobNames: ['make'], title: 'Codex' }))).toEqual(['not_listed'])
    expect(ask(question(0, { jobNames: [], title: 'my Codex' }))).toEqual([null])
    expect(
      new Eligibility({ ...settings, prefer_job_name: false }).check(
        question(0, { jobNames: ['make'], title: 'codex' }),
      ),
    ).toBeNull()
  })

  it('apply after exactly `prompt_silence_s` without a report of the shell', () => {
    expect(ask(question(14.9, { promptAt: 10 }), question(15, { promptAt: 10 }))).toEqual(['prompt_active', null])
  })

  it('do not apply while a higher authority reports, and for a window after its last report', () => {
    expect(ask(question(1, { hasHigher: true }), question(5.9), question(6))).toEqual([
      'higher_authority',
      'higher_authority',
      null,
    ])
  })

  it('do not apply for 5 s after a pack rule matched and for 1 s after a resize', () => {
    expect(ask(question(4.9, { anchoredAt: 0 }), question(5, { anchoredAt: 0 }))).toEqual(['higher_authority', null])
    expect(ask(question(0.9, { resizedAt: 0 }), question(1, { resizedAt: 0 }))).toEqual(['alternate_screen', null])
    expect(ask(question(0, { isUnknownAlternate: true }))).toEqual(['alternate_screen'])
  })

  it('do not apply for a window after a listed program was replaced by another', () => {
    expect(ask(question(0), question(1, { jobNames: ['make'] }), question(2), question(6))).toEqual([
      null,
      'not_listed',
      'job_flip',
      null,
    ])
  })
})
