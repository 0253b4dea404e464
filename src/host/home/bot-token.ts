import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { editSettings } from '../../config/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Home } from './index.js'

/** As BotFather issues it: the bot's number, a colon, and the secret. */
const TOKEN = /^\d{5,}:[\w-]{30,}$/

/**
 * The bot's token, from the environment or from a file that only the owner can read; null if none
 * is set. Errors never contain the token.
 * @throws SignalboxError `E_CONFIG`
 */
export function botToken({ loaded }: Home): string | null {
  const { token, token_file: file } = loaded.config.telegram
  if (token !== null) return checkBotToken(token.trim(), 'the environment')
  if (file === null) return null
  const mode = statSync(file, { throwIfNoEntry: false })?.mode
  if (mode === undefined)
    throw new SignalboxError('E_CONFIG', `${file} does not exist (telegram.token_file)`, {
      next: 'signalbox telegram setup creates it',
    })
  if ((mode & 0o077) !== 0)
    throw new SignalboxError('E_CONFIG', `other users can read ${file} (telegram.token_file)`, {
      next: `chmod 600 ${file}`,
    })
  return checkBotToken(readFileSync(file, 'utf8').trim(), file)
}

/** Stores a token in a file that only the owner can read, and names it in the settings. */
export function storeBotToken({ directories }: Home, token: string): string {
  const file = join(directories.config, 'telegram-token')
  writeFileSync(file, `${token}\n`, { mode: 0o600 })
  const settings = join(directories.config, 'config.toml')
  editSettings(settings, { 'telegram.token_file': file }, { version: null, isAtTerminal: true })
  return file
}

/** @throws SignalboxError `E_CONFIG` */
export function checkBotToken(token: string, source: string): string {
  if (TOKEN.test(token)) return token
  throw new SignalboxError('E_CONFIG', `${source} does not contain a bot token`, {
    next: 'it looks like 1234567:AA…; BotFather shows it',
  })
}
