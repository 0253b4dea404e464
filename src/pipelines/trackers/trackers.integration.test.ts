import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXIT, exitCodeOf } from '../../errors/index.js'
import { chooseTracker, fetchIssue, makeTracker } from './choose-tracker.js'
import { documentText } from './document-text.js'
import { issueOfText } from './file.js'
import { fetchPullRequest } from './github.js'
import { trackerServices } from './tracker-services.js'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-trackers-'))
const bin = join(directory, 'bin')
const GH = `#!/bin/sh
echo "$*" >> "${directory}/gh.log"
case "$*" in
  "auth status") test -z "$GH_SIGNED_OUT" || { echo "You are not logged into any GitHub hosts." >&2; exit 1; } ;;
  "issue view 12 --json number,title,body,state,labels,url") echo '{"number":12,"title":"A lamp","body":"It shines.","state":"CLOSED","labels":[],"url":"https://github.com/o/r/issues/12"}' ;;
  "issue view 12 --json comments") cat "${directory}/comments" ;;
  "issue comment 12"*) echo "$*" > "${directory}/comments"; echo https://github.com/o/r/issues/12#c1 ;;
  "pr view 7"*) echo '{"number":7,"title":"P","body":"b","baseRefName":"main","headRefName":"x","headRefOid":"abc","url":"u"}' ;;
  "issue view 13"*) printf '{"title": "two\\nlines"}' ;;
  "pr view 8"*) echo '{"number":8}' ;;
  *) echo "GraphQL: Could not resolve to an issue" >&2; exit 1 ;;
esac
`
let server: Server
const asked: { url: string; authorization: string | undefined; body: string }[] = []
let failures = 0
let refusesPosts = false

beforeAll(async () => {
  mkdirSync(bin)
  writeFileSync(join(bin, 'gh'), GH)
  chmodSync(join(bin, 'gh'), 0o755)
  writeFileSync(join(directory, 'comments'), '')
  writeFileSync(join(directory, 'issue.md'), '```\n# not this\n```\n\n# Add a bell #\n\nIt rings.\n')
  writeFileSync(join(directory, 'empty.md'), '  \n')
  writeFileSync(join(directory, 'huge.md'), 'x'.repeat(1024 * 1024 + 1))
  writeFileSync(join(directory, '12'), 'a file with a number for a name')
  server = createServer(async (request, response) => {
    const body = await textOf(request)
    asked.push({ url: request.url ?? '', authorization: request.headers.authorization, body })
    if (failures-- > 0) return void response.writeHead(503).end()
    if (request.url?.endsWith('NO-1')) return void response.writeHead(404).end()
    if (request.url?.endsWith('AUTH-1')) return void response.writeHead(401).end()
    if (request.method === 'POST' && refusesPosts) return void response.writeHead(503).end()
    if (request.method === 'POST') return void response.writeHead(201).end('{}')
    if (request.url?.includes('/comment?')) return void response.end(JSON.stringify(commentsPage(request.url)))
    response.end(
      JSON.stringify({
        key: 'ABC-12',
        fields: { summary: 'A horn', description: DOCUMENT, status: { name: 'To Do' } },
      }),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

/** As `GET /rest/api/3/issue/{key}/comment` answers: at most 50 of 120 comments at once. */
function commentsPage(url: string): object {
  const startAt = Number(new URL(url, 'http://jira').searchParams.get('startAt'))
  const all = Array.from({ length: 120 }, (_, at) => ({
    id: String(at),
    body: {
      type: 'doc',
      version: 1,
      content: [{ type: 'paragraph', content: [{ type: 'text', text: `remark ${at}` }] }],
    },
  }))
  return { startAt, maxResults: 50, total: all.length, comments: all.slice(startAt, startAt + 50) }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const jira = () => ({
  JIRA_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  JIRA_EMAIL: 'a@b',
  JIRA_API_TOKEN: 'secret',
})
const services = (env: Record<string, string | undefined> = {}) => ({
  ...trackerServices({ PATH: `${bin}:${process.env.PATH}`, ...env }, directory),
  pause: async () => undefined,
})
const request = (reference: string | null, extra: object = {}) => ({
  reference,
  title: null,
  description: null,
  tracker: null,
  ...extra,
})

const codeOf = async (work: Promise<unknown>) =>
  exitCodeOf(
    await work.then(
      () => null,
      error => error as unknown,
    ),
  )

describe('a GitHub issue', () => {
  test.each(['gh:12', '#12', 'https://github.com/o/r/issues/12'])(
    'is fetched by %s, and a closed one gives a warning',
    async reference => {
      const found = await fetchIssue(services(), request(reference))
      expect(found).toEqual({
        tracker: 'github',
        issue: {
          id: '12',
          title: 'A lamp',
          description: 'It shines.',
          status: 'closed',
          url: 'https://github.com/o/r/issues/12',
        },
        warning: 'issue 12 is closed',
      })
    },
  )

  test('is an error with exit code 7 without gh or a login, and 2 if it does not exist', async () => {
    expect(
      await codeOf(fetchIssue({ ...services(), ...trackerServices({ PATH: directory }, directory) }, request('gh:12'))),
    ).toBe(EXIT.programMissing)
    expect(await codeOf(fetchIssue(services({ GH_SIGNED_OUT: '1' }), request('gh:12')))).toBe(EXIT.programMissing)
    expect(await codeOf(fetchIssue(services(), request('gh:99')))).toBe(EXIT.usage)
  })

  test('is an error that names gh and the issue if the answer is not the expected JSON', async () => {
    await expect(fetchIssue(services(), request('gh:13'))).rejects.toMatchObject({
      code: 'E_TRACKER',
      message: expect.stringMatching(/^the answer of gh about issue 13 is not the JSON that was expected: Bad control/),
    })
    await expect(fetchPullRequest(services(), '8')).rejects.toThrow('the answer of gh about pull request 8')
  })

  test('gets one comment, also if posting is repeated', async () => {
    const issue = { id: '12', title: '', description: '', status: '' }
    const tracker = makeTracker(services(), 'github')
    expect(await tracker.comment!(issue, 'mark 1', 'done')).toContain('#c1')
    expect(await tracker.comment!(issue, 'mark 1', 'done')).toBeNull()
  })

  test('can be a pull request with head and base', async () => {
    expect(await fetchPullRequest(services(), '7')).toMatchObject({ baseRefName: 'main', headRefOid: 'abc' })
  })
})

const DOCUMENT = {
  type: 'doc',
  content: [
    { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text: 'Why' }] },
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: 'It is ' },
        { type: 'text', text: 'loud', marks: [{ type: 'strong' }] },
      ],
    },
    {
      type: 'bulletList',
      content: [{ type: 'listItem', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'one' }] }] }],
    },
    { type: 'codeBlock', attrs: { language: 'sh' }, content: [{ type: 'text', text: 'horn --now' }] },
  ],
}

describe('a Jira issue', () => {
  test('is fetched by its key, and its document becomes Markdown', async () => {
    const found = await fetchIssue(services(jira()), request('jira:abc-12'))
    expect(found.issue).toMatchObject({ id: 'ABC-12', title: 'A horn', status: 'To Do' })
    expect(found.issue.description).toBe('## Why\n\nIt is **loud**\n\n- one\n\n```sh\nhorn --now\n```')
    expect(asked.at(-1)!.url).toBe('/rest/api/3/issue/ABC-12')
    expect(asked.at(-1)!.authorization).toBe(`Basic ${Buffer.from('a@b:secret').toString('base64')}`)
    expect(chooseTracker(services(jira()), 'ABC-12', null)).toBe('jira')
  })

  test('exits with 6, 7 or 2 for variable, login or issue, and with 1 after repeated network errors', async () => {
    await expect(fetchIssue(services({ ...jira(), JIRA_EMAIL: undefined }), request('jira:ABC-12'))).rejects.toThrow(
      'JIRA_EMAIL is not set',
    )
    expect(await codeOf(fetchIssue(services({}), request('jira:ABC-12')))).toBe(EXIT.config)
    expect(await codeOf(fetchIssue(services(jira()), request('jira:AUTH-1')))).toBe(EXIT.programMissing)
    expect(await codeOf(fetchIssue(services(jira()), request('jira:NO-1')))).toBe(EXIT.usage)
    failures = 2
    expect((await fetchIssue(services(jira()), request('jira:ABC-12'))).issue.id).toBe('ABC-12')
    failures = 3
    expect(await codeOf(fetchIssue(services(jira()), request('jira:ABC-12')))).toBe(EXIT.failed)
    failures = 0
  })

  test('gets a comment once, which is found on any page; a failed comment is not posted again', async () => {
    const issue = { id: 'ABC-12', title: '', description: '', status: '', url: 'u' }
    expect(await makeTracker(services(jira()), 'jira').comment!(issue, 'remark 119', 'done')).toBeNull()
    expect(await makeTracker(services(jira()), 'jira').comment!(issue, 'stamp 2', 'done\nwell')).toBe('u')
    expect(JSON.parse(asked.at(-1)!.body).body.content).toHaveLength(3)
    const posts = () => asked.filter(({ body }) => body !== '').length
    const before = posts()
    refusesPosts = true
    await expect(makeTracker(services(jira()), 'jira').comment!(issue, 'stamp 3', 'done')).rejects.toThrow('503')
    refusesPosts = false
    expect(posts()).toBe(before + 1)
  })
})

describe('an issue in a file', () => {
  test('takes its first heading outside code fences as title', async () => {
    const { issue, tracker } = await fetchIssue(services(), request('issue.md'))
    expect(tracker).toBe('file')
    expect(issue).toEqual({
      id: 'add-a-bell',
      title: 'Add a bell',
      description: '```\n# not this\n```\n\n\nIt rings.',
      status: 'open',
    })
    expect(issueOfText('just words\nmore', 'x/y.txt')).toMatchObject({ title: 'just words', id: 'just-words' })
  })

  test.each(['empty.md', 'huge.md', 'nowhere.md'])('is refused with exit code 2 for the file %s', async file => {
    expect(await codeOf(fetchIssue(services(), request(file)))).toBe(EXIT.usage)
  })
})

test('an ambiguous reference is refused with its readings; the profile or a prefix resolves it', async () => {
  await expect(fetchIssue(services(), request('12'))).rejects.toThrow('"12" is ambiguous: a file or an issue on GitHub')
  expect(chooseTracker(services(), '12', 'github')).toBe('github')
  expect(chooseTracker(services(), 'gh:12', 'file')).toBe('github')
})

test('a title alone is an issue; an issue needs a title', async () => {
  expect(await fetchIssue(services(), request(null, { title: 'Paint it', description: 'red' }))).toMatchObject({
    tracker: 'noop',
    issue: { id: 'paint-it', title: 'Paint it', description: 'red' },
  })
  expect(await codeOf(fetchIssue(services(), request(null)))).toBe(EXIT.usage)
  expect(await codeOf(fetchIssue(services(), request('issue.md', { title: 'x' })))).toBe(EXIT.usage)
})

test('a Jira document of any shape keeps its words', () => {
  expect(documentText(null)).toBe('')
  expect(documentText('plain')).toBe('plain')
  const table = { type: 'table', content: [row('a', 'b'), row('1', '2')] }
  expect(
    documentText({
      content: [
        table,
        { type: 'rule' },
        { type: 'panel', content: [{ type: 'paragraph', content: [{ type: 'text', text: 'mind' }] }] },
      ],
    }),
  ).toBe('| a | b |\n| --- | --- |\n| 1 | 2 |\n\n---\n\n> mind')
})

function row(...cells: string[]) {
  const cell = (text: string) => ({
    type: 'tableCell',
    content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
  })
  return { type: 'tableRow', content: cells.map(cell) }
}
