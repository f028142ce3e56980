import Foundation
import Synchronization
import TrendyModels
import TrendyProtocols

/// Each device's last report and the time of its last request.
final class DeviceContacts: Sendable {
  private let accounts: HubAccounts
  private let store: HubStore
  private let seen = Mutex<[String: (at: Date, report: HubDeviceReport?)]>([:])
  /// Time of each device's last update in the directory.
  private let noted = Mutex<[String: Date]>([:])

  init(accounts: HubAccounts, store: HubStore) {
    self.accounts = accounts
    self.store = store
  }

  /// Returns the time of the device's last request.
  ///
  /// A time before the hub's start is accurate only to an hour.
  func lastSeen(_ device: HubDevice) -> Date? { seen.withLock { $0[device.id]?.at } ?? device.seenAt }

  func lastReport(_ device: HubDevice) -> HubDeviceReport? {
    seen.withLock { $0[device.id]?.report } ?? device.report
  }

  func onRequest(_ request: HTTPRequest, of device: HubDevice) {
    let now = store.clock.now
    let report = request.headers["Trendy-Device"].flatMap { HubDeviceReport(header: $0, at: now) }
    seen.withLock { $0[device.id] = (now, report ?? $0[device.id]?.report) }
    note(device, report, now)
  }

  /// Updates the directory in the background. If that fails, the next request tries again.
  private func note(_ device: HubDevice, _ report: HubDeviceReport?, _ now: Date) {
    guard store.threads != nil, device.isToBeNoted(now, saying: report) else { return }
    let isDue = noted.withLock { noted in
      if let last = noted[device.id], now.timeIntervalSince(last) < 60 { return false }
      noted[device.id] = now
      return true
    }
    if isDue { store.runLater(for: "directory") { [accounts] in try accounts.noteSeen(device, saying: report) } }
  }
}
