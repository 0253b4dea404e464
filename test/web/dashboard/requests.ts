import { expect, it } from 'vitest'
import { openContext } from '../harness.js'
import { browser, card, link, page, press, pressKey, served } from './context.js'

export function describeRequests(): void {
  it('accepts a login link once, removes its code from the address, and stores a non-extractable key', async () => {
    await page.goto(link)
    await page.locator('.shell h1').waitFor()
    expect(page.url()).toBe(`${served.address}/`)
    const stored = await page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>(resolve => {
        const request = indexedDB.open('signalbox')
        request.onsuccess = () => resolve(request.result)
      })
      const device = await new Promise<{ key: CryptoKey }>(resolve => {
        const request = database.transaction('device').objectStore('device').get('current')
        request.onsuccess = () => resolve(request.result)
      })
      database.close()
      const read = await crypto.subtle.exportKey('raw', device.key).then(
        () => 'read',
        error => (error as Error).name,
      )
      return {
        isExtractable: device.key.extractable,
        read,
        cookies: document.cookie,
        local: JSON.stringify(localStorage),
      }
    })
    expect(stored).toMatchObject({ isExtractable: false, read: 'InvalidAccessError', cookies: '' })
    expect(stored.local).not.toContain(link.split('#')[1])

    const second = await openContext(browser)
    const late = await second.newPage()
    await late.goto(link)
    await late.getByText(/invalid or expired login link/i).waitFor()
    expect(late.url()).not.toContain('#')
    await second.close()
  })

  it('shows requests; a press decides one and shows its outcome', async () => {
    const edit = card(/src\/cart\.js/)
    await edit.waitFor()
    expect(await edit.getByRole('heading').textContent()).toBe('Demo wants to edit src/cart.js')
    await edit.getByText('You asked:').waitFor()
    expect(await edit.locator('.request .cut-line').textContent()).toContain('return sum - discountPercent')
    // The place in the file, with the lines around it.
    await edit.locator('.request .diff').getByText('export function total').waitFor()
    const allow = edit.getByRole('button', { name: 'Allow once' })
    const deny = edit.getByRole('button', { name: 'Deny', exact: true })
    const [left, right] = [(await deny.boundingBox())!, (await allow.boundingBox())!]
    expect(right.x - (left.x + left.width)).toBeGreaterThanOrEqual(48)
    expect(Math.min(left.height, right.height)).toBeGreaterThanOrEqual(44)
    await press(edit, 'Allow once')
    await edit.locator('.card-end').getByText('Allowed').waitFor()
    expect(await edit.locator('.card-end').textContent()).toMatch(/by you/)
  })

  it('accepts no press on a card that has just moved', async () => {
    await page.goto(`${served.address}/`)
    const shell = card(/rm -rf coverage/)
    await shell.waitFor()
    await shell.locator('.allow:enabled').waitFor()
    await shell.evaluate(element => {
      // The card moves under the pointer: the press was meant for something else.
      const above = document.createElement('div')
      above.style.height = '80px'
      element.before(above)
      element.querySelector<HTMLButtonElement>('.allow')!.click()
    })
    await page.getByText('This has just appeared or moved. Press again.').first().waitFor()
    expect(await shell.locator('.card-end').count()).toBe(0)
  })

  it('denies a request with a reason by keyboard only', async () => {
    await page.goto(`${served.address}/`)
    const shell = card(/rm -rf coverage/)
    await shell.waitFor()
    await shell.locator('.deny:enabled').waitFor()
    const count = await page.locator('article.card').count()
    for (let step = 0; step < count; step++) {
      await page.keyboard.press('j')
      if (await shell.evaluate(element => element === document.activeElement)) break
    }
    const dialog = page.getByRole('dialog', { name: 'Deny' })
    await pressKey(shell, 'D', dialog)
    await page.keyboard.type('Keep the report, please.')
    await page.keyboard.press('Control+Enter')
    await shell
      .getByText(/Denied|Denying/)
      .first()
      .waitFor()
    expect(await shell.locator('.card-end').textContent()).toMatch(/by you/)
  })

  it('opens a page and the list of shortcuts by keyboard; Escape closes the list', async () => {
    await page.goto(`${served.address}/`)
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.locator('h1', { hasText: 'Runs' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('answers a question with an option', async () => {
    await page.goto(`${served.address}/`)
    const question = card(/distant signal/)
    await question.getByLabel('Double yellow').check()
    await press(question, 'Answer')
    await question.getByText('Answered').waitFor()
    expect(await question.locator('.card-end').textContent()).toContain('Double yellow')
  })
}
