import type { StatusState } from './program-status.js'

/** `◆ topic` at rest, a half moon that turns while working, `▲ topic` while an answer is needed. */
export function titleText(state: StatusState, topic: string, tick: number): string {
  const mark = state === 'working' ? (Math.floor(tick / 4) % 2 === 0 ? '◐' : '◑') : state === 'blocked' ? '▲' : '◆'
  return `${mark} ${topic} · signalbox-demo`
}
