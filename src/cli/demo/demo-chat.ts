import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { editSettings } from '../../config/index.js'
import type { Home } from '../../host/home/index.js'
import { People } from '../../people/index.js'
import { FakeBotApi } from '../../telegram/fake/index.js'

/** Telegram itself, on loopback, with one person in it who is paired already: the demo needs no phone and no network. */
export async function openDemoChat(
  { directories }: Home,
  directory: string,
): Promise<{ page: string; stop(): Promise<void> }> {
  const fake = new FakeBotApi()
  const apiRoot = await fake.start()
  const person = fake.person(4711, 'You')
  const tokenFile = join(directory, 'bot-token')
  writeFileSync(tokenFile, fake.token, { mode: 0o600 })
  new People(directories.config).pair(person.id, { name: person.name, role: 'owner' })
  const changes = { 'telegram.token_file': tokenFile, 'telegram.api_root': apiRoot, 'projects.roots': [directory] }
  editSettings(join(directories.config, 'config.toml'), changes, { version: null, isAtTerminal: true })
  person.say('/start')
  return { page: fake.pageOf(person), stop: () => fake.stop() }
}
