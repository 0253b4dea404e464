import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import type { SessionRecord } from '../sessions/index.js'
import { checkLimits } from './prepare-session.js'
import { resumeRequest } from './resume-session.js'
import type { HostSettings } from './settings.js'
import { UploadSweep } from './sweeps.js'

const record = (fields: Partial<SessionRecord> = {}): SessionRecord => ({
  id: 'ses_1',
  number: 1,
  person: 'local',
  agent: 'demo',
  agentSessionId: 'abc',
  project: '/p',
  cwd: '/p',
  args: ['--model', 'x'],
  pid: 1,
  size: { cols: 80, rows: 24 },
  startedAt: 0,
  state: 'ended',
  recording: '/r',
  owner: 'daemon',
  version: 1,
  ...fields,
})

describe('limits of sessions', () => {
  const settings = { maxSessions: 3, sessions: { maxPerPerson: 2 } } as HostSettings
  const live = (person: string, number: number) => record({ state: 'live', person, number })

  test('include a total over all people, and the refusal lists the running sessions', () => {
    const running = [live('local', 1), live('ann', 1), live('bob', 1)]
    expect(() => checkLimits(running, 'local', settings)).toThrow(/3 sessions .*sessions\.max_total.*1 \(demo\)/)
    expect(() => checkLimits([...running.slice(1), record()], 'local', settings)).not.toThrow()
  })

  test('do not apply per person to the local person', () => {
    const running = [live('ann', 1), live('ann', 2)]
    expect(() => checkLimits(running, 'ann', settings)).toThrow(/sessions\.max_per_person/)
    expect(() => checkLimits([live('local', 1), live('local', 2)], 'local', settings)).not.toThrow()
    expect(() => checkLimits(running, 'bob', settings)).not.toThrow()
  })
})

describe('resuming a session', () => {
  const options = { terminal: null, size: null, person: 'local' }

  test('starts the same agent in the same directory with its own conversation id', () => {
    expect(resumeRequest(record({ label: 'mine' }), options)).toMatchObject({
      agent: 'demo',
      cwd: '/p',
      args: ['--model', 'x'],
      label: 'mine',
      resume: 'abc',
      resumedFrom: 'ses_1',
    })
  })

  test.each([
    [{ state: 'live' as const }, /still running/],
    [{ resumedBy: 'ses_2' }, /already resumed as ses_2/],
    [{ agentSessionId: undefined }, /never reported its id/],
    [{ agentSessionId: undefined, agent: 'generic' }, /not a known agent/],
  ])('is refused if it is impossible: %j', (fields, why) => {
    const { agentSessionId, ...rest } = record()
    const given = { ...rest, ...('agentSessionId' in fields ? {} : { agentSessionId }), ...fields } as SessionRecord
    expect(() => resumeRequest(given, options)).toThrow(why)
  })
})

describe('uploads of a session', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'signalbox-sweep-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  test('are removed when their session ended long ago; other uploads stay', async () => {
    const clock = new SimulatedClock(1_000_000)
    for (const name of ['ses_1', 'ses_live', 'unknown'])
      mkdirSync(join(directory, 'uploads', name), { recursive: true })
    const sweep = new UploadSweep({
      settings: { dataDirectory: directory, files: { keepMs: 60_000 } } as HostSettings,
      clock,
      records: async () => [record({ endedAt: 990_000 }), record({ id: 'ses_live', state: 'live' })],
      onError: error => expect.fail(String(error)),
    })
    const left = () => ['ses_1', 'ses_live', 'unknown'].filter(name => existsSync(join(directory, 'uploads', name)))
    await sweep.sweep()
    expect(left()).toEqual(['ses_1', 'ses_live', 'unknown'])
    clock.advance(51_000)
    await sweep.sweep()
    expect(left()).toEqual(['ses_live', 'unknown'])
  })
})
