import { expect, test } from 'vitest'
import { AcpConversation } from './acp-conversation.js'
import { AcpHandshake } from './acp-handshake.js'

/** The capabilities that an agent is told of. */
async function declared(offers: { reading: boolean; writing: boolean; terminals: boolean }): Promise<unknown> {
  const calls: unknown[] = []
  const handshake = new AcpHandshake({
    record: { agent: 'demo', number: 1, cwd: '/work' },
    version: '0.0.0',
    offers,
    conversation: new AcpConversation('ses_1'),
    call: async (_, params) => void calls.push(params),
  })
  expect(await handshake.proceed()).toBeNull()
  return (calls[0] as { clientCapabilities: unknown }).clientCapabilities
}

test('the handshake lists the file and terminal calls that the agent may use', async () => {
  expect(await declared({ reading: false, writing: false, terminals: false })).toEqual({
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
  })
  expect(await declared({ reading: false, writing: true, terminals: true })).toEqual({
    fs: { readTextFile: false, writeTextFile: true },
    terminal: true,
  })
})
