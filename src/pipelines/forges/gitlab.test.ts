import { expect, test } from 'vitest'
import { ForgeBusy } from './forge.js'
import { gitlabForge } from './gitlab.js'

/** Answers as the REST API of GitLab describes them, by the last argument of glab. */
function forge(answers: Readonly<Record<string, unknown>>) {
  const calls: string[][] = []
  const made = gitlabForge(async args => {
    calls.push([...args])
    const found = answers[args.find(word => word.includes('projects/')) ?? args.slice(0, 2).join(' ')]
    if (typeof found === 'string') return { code: 0, stdout: found, stderr: '' }
    if (found === undefined) return { code: 1, stdout: '', stderr: 'HTTP 429: Too Many Requests' }
    return { code: 0, stdout: JSON.stringify(found), stderr: '' }
  })
  return { made, calls }
}

const REQUEST = {
  iid: 7,
  web_url: 'https://gitlab.com/o/r/-/merge_requests/7',
  title: 'A lamp',
  state: 'opened',
  draft: false,
  target_branch: 'main',
  source_branch: 'lamp',
  sha: 'abc',
  source_project_id: 1,
  target_project_id: 1,
  has_conflicts: false,
  detailed_merge_status: 'not_approved',
  head_pipeline: { id: 9 },
}
const PLACE = 'projects/:id/merge_requests/7'
const note = (id: number, body: string, extra: object = {}) => ({
  id,
  body,
  system: false,
  author: { username: 'ada' },
  resolvable: false,
  ...extra,
})

test('a merge request of GitLab has checks, threads and comments like a pull request of GitHub', async () => {
  const { made } = forge({
    [PLACE]: REQUEST,
    'projects/:id/pipelines/9/jobs?per_page=100&page=1': [
      { id: 3, name: 'test', status: 'failed', allow_failure: false },
      { id: 4, name: 'lint', status: 'failed', allow_failure: true },
      { id: 5, name: 'build', status: 'running', allow_failure: false },
    ],
    [`${PLACE}/discussions?per_page=100&page=1`]: [
      {
        id: 'd1',
        individual_note: false,
        notes: [note(1, 'a bug', { resolvable: true, position: { new_path: 'a.txt', new_line: 4 } })],
      },
      { id: 'd2', individual_note: true, notes: [note(2, 'assigned to @ada', { system: true })] },
      { id: 'd3', individual_note: true, notes: [note(3, 'hm', { author: { username: 'project_1_bot_x' } })] },
    ],
    'projects/:id/jobs/3/trace': 'expected 2',
  })
  const view = await made.view(7)
  expect(view).toMatchObject({ number: 7, state: 'open', head: 'abc', isApproved: false, hasConflict: false })
  expect(view.checks.map(({ state }) => state)).toEqual(['failed', 'passed', 'pending'])
  expect(view.threads).toEqual([
    {
      id: 'd1',
      path: 'a.txt',
      line: 4,
      isResolved: false,
      comments: [{ id: 'n1', body: 'a bug', author: 'ada', isBot: false }],
    },
  ])
  expect(view.comments).toEqual([{ id: 'n3', body: 'hm', author: 'project_1_bot_x', isBot: true }])
  expect(await made.log(view.checks[0]!)).toBe('expected 2')
})

test('glab is called to open, answer, resolve and merge, and a rate limit is recognised', async () => {
  const { made, calls } = forge({
    'mr create': 'https://gitlab.com/o/r/-/merge_requests/7\n',
    [PLACE]: REQUEST,
    [`${PLACE}/discussions/d1/notes`]: {},
    [`${PLACE}/discussions/d1`]: {},
    [`${PLACE}/merge`]: {},
  })
  const opened = await made.open({
    title: 't',
    body: 'b',
    base: 'main',
    branch: 'lamp',
    isDraft: true,
    labels: ['x'],
    reviewers: [],
  })
  expect(opened.number).toBe(7)
  await made.reply(7, 'd1', 'Fixed.')
  await made.resolve(7, 'd1')
  await made.merge(7, 'abc', 'squash')
  expect(calls.map(args => args.join(' '))).toEqual([
    'mr create --yes --title t --description b --target-branch main --source-branch lamp --draft --label x',
    `api ${PLACE}`,
    `api --method POST ${PLACE}/discussions/d1/notes -f body=Fixed.`,
    `api --method PUT ${PLACE}/discussions/d1 -f resolved=true`,
    `api --method PUT ${PLACE}/merge -f sha=abc -f squash=true`,
  ])
  await expect(made.get(8)).rejects.toBeInstanceOf(ForgeBusy)
})
