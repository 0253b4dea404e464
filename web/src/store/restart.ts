import { signal } from '@preact/signals'
import { postJson } from '../transport/request'
import { isOnline, retryNow } from './live'
import { attempt } from './toasts'

const TRIED_EVERY_MS = 700
/** If the server does not disconnect within this time, it refused, or it restarted unnoticed. */
const RESTART_MAX_MS = 30_000

/** This page asked the server to restart, and waits for the new one. */
export const isRestarting = signal(false)

/** Resolves when the new server answers, or nothing has happened for too long. */
export async function restartServer(): Promise<void> {
  isRestarting.value = true
  if (await attempt(() => postJson('/restart'))) await reconnected()
  isRestarting.value = false
}

function reconnected(): Promise<void> {
  const since = Date.now()
  let wasAway = false
  return new Promise(resolve => {
    const timer = setInterval(() => {
      if (!isOnline.peek()) {
        wasAway = true
        retryNow()
      }
      const isOver = wasAway ? isOnline.peek() : Date.now() - since > RESTART_MAX_MS
      if (!isOver) return
      clearInterval(timer)
      resolve()
    }, TRIED_EVERY_MS)
  })
}
