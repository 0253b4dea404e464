import { describe, expect, it } from 'vitest'
import type { Pane, Session } from '../api/types'
import { countStates, groupRows, hasWords, sessionRow, tmuxRow } from './session-rows'

const session = (number: number, more: Partial<Session>) =>
  ({
    id: `ses_${number}`,
    number,
    agent: 'claude',
    project: '/work/shop',
    cwd: '/work/shop',
    startedAt: `2026-03-01T10:0${number}:00.000Z`,
    state: 'live',
    ...more,
  }) as Session
const known = { stuck: null, isRecent: false, why: { claim: 'idle' } }
const pane = {
  id: 'pan_1',
  cwd: '/work/site',
  place: 'main:1.0',
  command: 'vim',
  name: '',
  title: '',
  doing: '',
  ...known,
}

describe('the rows of the page of sessions', () => {
  const rows = [
    sessionRow(session(1, { idle: true, title: 'Fix the cart' }), undefined),
    sessionRow(session(2, { approval: 'apr_1' }), undefined),
    sessionRow(session(3, { state: 'ended', endedAt: '2026-03-01T11:00:00.000Z' }), undefined),
    tmuxRow({ ...pane, source: 'tmux', agent: null, shown: 'running', since: session(5, {}).startedAt } as Pane),
  ]

  it('are counted by state', () => {
    expect(countStates(rows)).toEqual({ needs: 1, working: 1, done: 0, idle: 1, ended: 1 })
    // A session whose work is done, and paused ones, are not idle.
    const done = sessionRow(session(6, { idle: true }), { ...pane, shown: 'done' } as Pane)
    const used = { limit: 'session-usd', used: 2, of: 1, since: session(7, {}).startedAt }
    const paused = sessionRow(session(7, { idle: true, paused: used } as never), undefined)
    expect(countStates([done, paused])).toEqual({ needs: 1, working: 0, done: 1, idle: 0, ended: 0 })
  })

  it('of a program have the status of its process', () => {
    const top = session(8, { agent: 'generic', args: ['top'], idle: false })
    const working = sessionRow(top, { ...pane, shown: 'long-running' } as Pane)
    expect([working.name, working.agent, working.badge.word, working.state]).toEqual([
      'top',
      'program',
      'Working',
      'working',
    ])
    expect(sessionRow(top, { ...pane, shown: 'idle' } as Pane).badge.word).toBe('Idle')
  })

  it('do not repeat their name as what they do', () => {
    const top = session(8, { agent: 'generic', args: ['top'] })
    expect(sessionRow(top, { ...pane, doing: 'top' } as Pane).doing).toBe('')
    expect(sessionRow(top, { ...pane, doing: 'less' } as Pane).doing).toBe('less')
  })

  it('of projects with the same name are in groups of their own', () => {
    const other = sessionRow(session(9, { idle: true, project: '/old/shop' }), undefined)
    const groups = groupRows([rows[0]!, other], { group: 'project', sort: 'name' })
    expect(groups.map(({ name }) => name)).toEqual(['old/shop', 'work/shop'])
  })

  it('are grouped by project, those that need you first', () => {
    const groups = groupRows(rows, { group: 'project', sort: 'activity' })
    expect(groups.map(({ name, rows: members }) => [name, members.map(({ place }) => place)])).toEqual([
      ['shop', ['2', '1', '3']],
      ['site', ['main:1.0']],
    ])
  })

  it('are named by their first prompt, and found by all words', () => {
    expect(rows[0]!.name).toBe('Fix the cart')
    expect(rows.filter(row => hasWords(row, 'SHOP cart')).map(({ place }) => place)).toEqual(['1'])
  })

  it('show the last turn of an idle session, not the start of the daemon', () => {
    const since = '2026-03-01T12:00:00.000Z'
    const shown = { ...pane, source: 'session', shown: 'idle', since } as unknown as Pane
    const idle = session(1, { idle: true, activeAt: '2026-03-01T10:30:00.000Z' })
    expect(sessionRow(idle, shown).activeAt).toBe(Date.parse('2026-03-01T10:30:00.000Z'))
    expect(sessionRow(session(1, { idle: true }), shown).activeAt).toBe(Date.parse(since))
  })
})
