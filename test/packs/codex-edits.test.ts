import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { requestFromMenu } from '../../src/approvals/index.js'
import type { Observation } from '../../src/screen/index.js'
import { PlayedRecording } from '../screen/played-recording.js'

const CAST = fileURLToPath(new URL('../../packs/codex/fixtures/edit-approve.80x24.cast', import.meta.url))

it('an edit that only the dialog of Codex shows can be allowed only in the terminal', async () => {
  const { states } = await PlayedRecording.play(CAST)
  const menus = states.map(({ payload }) => (payload as Partial<Observation<'tool_menu'>['payload']>)?.menu)
  const menu = menus.find(found => found?.question.includes('make the following edits'))
  const subject = { session: 'ses_x', agent: 'codex', project: '/p', cwd: '/p', hostName: 'host' }
  const request = requestFromMenu(menu!, { kind: 'permission', subject, instance: '1:1' })
  expect(request.terminalOnly).toBe('the dialog on the screen does not contain what it asks about')
})
