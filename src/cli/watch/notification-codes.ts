import type { PaneNotification } from '../../notifications/index.js'

/** The codes that make a terminal notify its person: the bell, and two notification sequences. */
export function notificationCodes(
  { title, body }: Pick<PaneNotification, 'title' | 'body'>,
  ways: readonly string[],
): string {
  // Text of programs must not end the sequence or start another.
  const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 200)
  const codes: Readonly<Record<string, string>> = {
    bell: '\u0007',
    osc9: `\u001b]9;${plain(`${title}: ${body}`)}\u001b\\`,
    osc777: `\u001b]777;notify;${plain(title).replaceAll(';', ',')};${plain(body)}\u001b\\`,
  }
  return ways.map(way => codes[way] ?? '').join('')
}
