import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { slugOf } from '../plan/plan-path.js'
import { fileTracker } from './file.js'
import { githubTracker } from './github.js'
import { jiraTracker } from './jira.js'
import type { FetchedIssue, Tracker, TrackerServices } from './tracker.js'

export interface IssueWish {
  /** What was typed: a path, a number, a key, an address. */
  reference: string | null
  title: string | null
  description: string | null
  /** The tracker of the profile. */
  tracker: Tracker['name'] | null
}

type Reading = { name: Exclude<Tracker['name'], 'noop'>; says: string }

/** The issue that was asked for, from wherever it is. @throws SignalboxError `E_INPUT` for what could be several things, or nothing. */
export async function fetchIssue(
  services: TrackerServices,
  wish: IssueWish,
): Promise<FetchedIssue & { tracker: string }> {
  if (wish.reference === null) return { ...titled(wish), tracker: 'noop' }
  if (wish.title !== null)
    throw new SignalboxError('E_INPUT', 'give an issue or a --title, not both', { next: 'leave one of them out' })
  const name = chooseTracker(services, wish.reference, wish.tracker)
  return { ...(await makeTracker(services, name).fetch(wish.reference)), tracker: name }
}

export function makeTracker(services: TrackerServices, name: string): Tracker {
  if (name === 'github') return githubTracker(services)
  return name === 'jira' ? jiraTracker(services) : fileTracker(services.cwd)
}

export function chooseTracker(
  services: TrackerServices,
  reference: string,
  wanted: Tracker['name'] | null,
): Reading['name'] {
  if (/^gh:/i.test(reference)) return 'github'
  if (/^jira:/i.test(reference)) return 'jira'
  const readings = readingsOf(services, reference)
  const preferred = readings.find(({ name }) => name === wanted)
  if (preferred) return preferred.name
  const [only] = readings
  if (readings.length === 1) return only!.name
  if (readings.length > 1)
    throw new SignalboxError('E_INPUT', `"${reference}" could be ${readings.map(({ says }) => says).join(' or ')}`, {
      next: 'say which: gh:…, jira:…, or ./… for a file',
    })
  const isKey = /^[A-Z][A-Z0-9]+-\d+$/.test(reference)
  throw new SignalboxError(
    'E_INPUT',
    `"${reference}" is no issue: there is no such file${isKey ? ', and JIRA_BASE_URL is not set' : ''}`,
    {
      next: 'a file, gh:12, jira:KEY-1, or --title "what is to be done"',
    },
  )
}

function readingsOf({ env, cwd }: TrackerServices, reference: string): Reading[] {
  const readings: Reading[] = []
  if (existsSync(resolve(cwd, reference))) readings.push({ name: 'file', says: 'a file' })
  if (/^#?\d+$/.test(reference) || /^https:\/\/[^/]+\/[^/]+\/[^/]+\/issues\/\d+/.test(reference))
    readings.push({ name: 'github', says: 'an issue on GitHub' })
  if (/^[A-Z][A-Z0-9]+-\d+$/.test(reference) && env.JIRA_BASE_URL)
    readings.push({ name: 'jira', says: 'an issue in Jira' })
  return readings
}

function titled({ title, description }: IssueWish): FetchedIssue {
  if (title === null || title.trim() === '')
    throw new SignalboxError('E_INPUT', 'there is no issue', {
      next: 'signalbox implement issue.md, or --title "what is to be done"',
    })
  return {
    issue: { id: slugOf(title), title: title.trim(), description: description ?? '', status: 'open' },
    warning: null,
  }
}
