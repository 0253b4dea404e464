import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseTracker, fetchIssue, makeTracker } from './choose-tracker.js'
import { trackerServices } from './tracker-services.js'

/*
 * Fakes of two trackers, from their public descriptions: GitLab's REST API v4 behind `glab api`
 * (issues, notes; `:id` is the project of the repository), and Linear's GraphQL schema (`issue`,
 * `comments` in pages, `commentCreate`; errors are in the body).
 */

const directory = mkdtempSync(join(tmpdir(), 'signalbox-more-trackers-'))
const bin = join(directory, 'bin')
const GLAB = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync } = require('node:fs')
const [api, ...args] = process.argv.slice(2)
const notes = ${JSON.stringify(join(directory, 'notes'))}
const fail = text => { console.error(text); process.exit(1) }
if (api !== 'api') fail('unknown command')
if (process.env.GLAB_SIGNED_OUT) fail('glab: 401 Unauthorized (HTTP 401)')
const isPost = args.includes('POST')
const path = args.find(arg => arg.startsWith('projects/')).split('?')[0]
const project = decodeURIComponent(path.split('/')[1])
if (project !== ':id' && project !== 'group/sub/lamps') fail('glab: 404 Project Not Found (HTTP 404)')
if (/issues\\/12$/.test(path)) console.log(JSON.stringify({ id: 900, iid: 12, title: 'A lamp', description: 'It shines.', state: 'opened', web_url: 'https://gitlab.example/group/sub/lamps/-/issues/12' }))
else if (/issues\\/12\\/notes$/.test(path) && isPost) {
  appendFileSync(notes, JSON.stringify({ body: args.at(-1).replace(/^body=/, '') }) + '\\n')
  console.log('{}')
} else if (/issues\\/12\\/notes$/.test(path)) console.log('[' + (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\\n').join(',') : '') + ']')
else fail('glab: 404 Not found (HTTP 404)')
`

let server: Server
const comments: string[] = Array.from({ length: 130 }, (_, index) => `remark ${index}`)
let failures = 0
let limits = 0

beforeAll(async () => {
  mkdirSync(bin)
  writeFileSync(join(bin, 'glab'), GLAB)
  chmodSync(join(bin, 'glab'), 0o755)
  server = createServer((request, response) => {
    let body = ''
    request.on('data', chunk => (body += String(chunk)))
    request.on('end', () => {
      if (failures-- > 0) return void response.writeHead(503).end()
      if (limits-- > 0) {
        const error = { message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }
        return void response.writeHead(400).end(JSON.stringify({ errors: [error] }))
      }
      if (request.headers.authorization !== 'lin_api_key') return void response.writeHead(401).end()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(linear(JSON.parse(body))))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
  rmSync(directory, { recursive: true, force: true })
})

interface Query {
  query: string
  variables: { id?: string; after?: string | null; input?: { issueId: string; body: string } }
}

function linear({ query, variables: { id, after, input } }: Query): unknown {
  if (input) {
    if (input.issueId !== 'uuid-1') return { errors: [{ message: 'Entity not found: Issue' }] }
    comments.push(input.body)
    return { data: { commentCreate: { success: true, comment: { url: 'https://linear.app/x/issue/LAM-1#c' } } } }
  }
  if (id !== 'LAM-1') return { data: null, errors: [{ message: 'Entity not found: Issue' }] }
  if (query.includes('comments(')) {
    const from = Number(after ?? 0)
    const nodes = comments.slice(from, from + 100).map(body => ({ body }))
    const pageInfo = { hasNextPage: from + 100 < comments.length, endCursor: String(from + 100) }
    return { data: { issue: { id: 'uuid-1', comments: { nodes, pageInfo } } } }
  }
  const state = { name: 'Done', type: 'completed' }
  const url = 'https://linear.app/x/issue/LAM-1/a-horn'
  return { data: { issue: { id: 'uuid-1', identifier: 'LAM-1', title: 'A horn', description: null, url, state } } }
}

function services(env: Record<string, string> = {}) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
  const PATH = `${bin}${delimiter}${process.env.PATH}`
  return trackerServices({ PATH, LINEAR_API_KEY: 'lin_api_key', LINEAR_API_URL: url, ...env }, directory)
}

const fetched = (reference: string, env: Record<string, string> = {}) =>
  fetchIssue(services(env), { reference, title: null, description: null, tracker: null })

describe('the tracker GitLab', () => {
  test('an issue is read by its number or its address', async () => {
    const issue = { id: '12', title: 'A lamp', description: 'It shines.', status: 'opened' }
    expect(await fetched('gl:12')).toMatchObject({ tracker: 'gitlab', issue })
    expect(await fetched('https://gitlab.example/group/sub/lamps/-/issues/12')).toMatchObject({ issue })
    expect(chooseTracker(services(), '12', 'gitlab')).toBe('gitlab')
    expect(chooseTracker(services(), '12', null)).toBe('github')
  })

  test('a comment is posted only once', async () => {
    const { issue } = await fetched('gl:12')
    const tracker = makeTracker(services(), 'gitlab')
    expect(await tracker.comment!(issue, 'run 1 finished', 'It works.\nIt shines.')).toBe(issue.url)
    expect(await tracker.comment!(issue, 'run 1 finished', 'It works.')).toBeNull()
    const notes = readFileSync(join(directory, 'notes'), 'utf8').trim().split('\n')
    expect(notes.map(note => JSON.parse(note).body)).toEqual(['It works.\nIt shines.\n\n<!-- run 1 finished -->'])
  })

  test('an unknown issue and a missing login are errors with the next step', async () => {
    await expect(fetched('gl:99')).rejects.toMatchObject({ code: 'E_UNKNOWN' })
    await expect(fetched('gl:12', { GLAB_SIGNED_OUT: '1' })).rejects.toMatchObject({
      code: 'E_NOT_SIGNED_IN',
      next: 'glab auth login',
    })
  })
})

describe('the tracker Linear', () => {
  test('an issue is read by its key or its address, and again after an error of the server', async () => {
    failures = 1
    const issue = { id: 'LAM-1', title: 'A horn', description: '', status: 'Done' }
    expect(await fetched('linear:lam-1')).toMatchObject({ tracker: 'linear', issue, warning: 'issue LAM-1 is Done' })
    expect(await fetched('https://linear.app/x/issue/LAM-1/a-horn')).toMatchObject({ issue })
    expect(await fetched('LAM-1')).toMatchObject({ issue })
    limits = 1
    expect(await fetched('LAM-1')).toMatchObject({ issue })
  })

  test('a comment is posted once, although the existing one is behind a full page', async () => {
    const { issue } = await fetched('LAM-1')
    const tracker = makeTracker(services(), 'linear')
    const count = comments.length
    expect(await tracker.comment!(issue, 'run 1 finished', 'It rings.')).toContain('#c')
    expect(await tracker.comment!(issue, 'run 1 finished', 'It rings.')).toBeNull()
    expect(comments.slice(count)).toEqual(['It rings.\n\n_run 1 finished_'])
  })

  test('an unknown issue and a wrong key are errors with the next step', async () => {
    await expect(fetched('linear:NO-1')).rejects.toMatchObject({ code: 'E_UNKNOWN' })
    await expect(fetched('LAM-1', { LINEAR_API_KEY: 'x' })).rejects.toMatchObject({ code: 'E_NOT_SIGNED_IN' })
    await expect(fetched('linear:LAM-1', { LINEAR_API_KEY: '' })).rejects.toMatchObject({ code: 'E_CONFIG' })
  })
})
