import type { Notice } from '../../notifications/index.js'

/** What a terminal is told so that it calls its person: a bell, and the two notification codes that terminals know. */
export function callTerminal({ title, body }: Pick<Notice, 'title' | 'body'>, ways: readonly string[]): string {
  // Text of programs must not end the code early, nor begin one of its own.
  const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 200)
  const codes: Readonly<Record<string, string>> = {
    bell: '\u0007',
    osc9: `\u001b]9;${plain(`${title}: ${body}`)}\u001b\\`,
    osc777: `\u001b]777;notify;${plain(title).replaceAll(';', ',')};${plain(body)}\u001b\\`,
  }
  return ways.map(way => codes[way] ?? '').join('')
}
