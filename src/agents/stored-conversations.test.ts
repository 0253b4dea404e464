import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { storedConversations } from './stored-conversations.js'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-stored-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const CLAUDE = '01665219-c2b9-4318-9abe-fe3788a45c6c'
const CODEX = '019f6b1e-0000-7000-8000-000000000001'
const place = (path: string, fixture: string | null, at: number) => {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  if (fixture === null) writeFileSync(file, 'not json\n{"type":"user"')
  else copyFileSync(fileURLToPath(new URL(`fixtures/${fixture}`, import.meta.url)), file)
  utimesSync(file, at, at)
}

test('conversations of Claude Code and Codex are listed newest first, without unreadable ones', () => {
  place(`.claude/projects/-home-dev-app/${CLAUDE}.jsonl`, 'claude-2.1.325.jsonl', 100)
  place(`.codex/sessions/2026/11/15/rollout-2026-11-15T07-10-04-${CODEX}.jsonl`, 'codex-0.166.0.jsonl', 200)
  place('.claude/projects/-home-dev-app/11111111-c2b9-4318-9abe-fe3788a45c6c.jsonl', null, 300)
  place('.claude/projects/-home-dev-app/notes.jsonl', 'claude-2.1.325.jsonl', 300)
  const found = storedConversations({ HOME: home })
  expect(found.map(({ agent, id }) => [agent, id])).toEqual([
    ['codex', CODEX],
    ['claude', CLAUDE],
  ])
  expect(found[1]).toMatchObject({
    cwd: '/home/dev/app',
    prompt: 'Tell me about the PARTS of this project',
    at: 100_000,
  })
  for (const { cwd, prompt } of found)
    expect([cwd, prompt]).toEqual([expect.stringMatching(/^\//), expect.stringMatching(/\S/)])
})

test('no conversation is listed where no agent ever ran', () => {
  expect(storedConversations({ HOME: home })).toEqual([])
})
