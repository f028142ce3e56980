import Foundation
public import TrendyHub

/// A hub's directory in memory, with value semantics.
public struct MemoryHubDirectory: Sendable {
  fileprivate var users: [String: HubUser] = [:]
  fileprivate var devices: [String: HubDevice] = [:]
  fileprivate var codes: [String: HubPairingCode] = [:]
  fileprivate var webhooks: [String: HubWebhook] = [:]
  fileprivate var pairingAttempts: [String: [Date]] = [:]

  public init() {}

  /// Reads the directory.
  public func read<Result>(_ body: (any HubDirectoryReading) throws -> Result) throws -> Result {
    try body(MemoryDirectoryTransaction(self))
  }

  /// Writes the directory atomically.
  public mutating func write<Result>(_ body: (any HubDirectoryTransaction) throws -> Result) throws -> Result {
    let transaction = MemoryDirectoryTransaction(self)
    let result = try body(transaction)
    self = transaction.state
    return result
  }
}

private final class MemoryDirectoryTransaction: HubDirectoryTransaction {
  private(set) var state: MemoryHubDirectory

  init(_ state: MemoryHubDirectory) { self.state = state }

  func users() throws -> [HubUser] { state.users.values.sorted { $0.id < $1.id } }
  func user(id: String) throws -> HubUser? { state.users[id] }
  func devices() throws -> [HubDevice] { state.devices.values.sorted { $0.id < $1.id } }
  func device(tokenHash: String) throws -> HubDevice? { state.devices.values.first { $0.tokenHash == tokenHash } }
  func pairingCode(hash: String) throws -> HubPairingCode? { state.codes[hash] }
  func pairingCodes() throws -> [HubPairingCode] { state.codes.values.sorted { $0.hash < $1.hash } }
  func pairingAttempts(key: String) throws -> [Date] { state.pairingAttempts[key] ?? [] }
  func webhooks() throws -> [HubWebhook] { state.webhooks.values.sorted { $0.id < $1.id } }

  func put(_ user: HubUser) throws { state.users[user.id] = user }
  func deletePerson(id: String) throws {
    state.users[id] = nil
    state.devices = state.devices.filter { $0.value.user != id }
    state.codes = state.codes.filter { $0.value.user != id }
    state.webhooks = state.webhooks.filter { $0.value.user != id }
  }
  func put(_ device: HubDevice) throws { state.devices[device.id] = device }
  func put(_ code: HubPairingCode) throws { state.codes[code.hash] = code }
  func deletePairingCode(hash: String) throws { state.codes[hash] = nil }
  func putPairingAttempts(key: String, _ times: [Date]) throws {
    state.pairingAttempts[key] = times.isEmpty ? nil : times
  }
  func deletePairingAttempts(before date: Date, keeping count: Int) throws {
    let recent = state.pairingAttempts.filter { ($0.value.last ?? .distantPast) >= date }
    let latest = recent.sorted { ($0.value.last ?? .distantPast, $0.key) > ($1.value.last ?? .distantPast, $1.key) }
    state.pairingAttempts = Dictionary(uniqueKeysWithValues: latest.prefix(count).map { ($0.key, $0.value) })
  }
  func put(_ webhook: HubWebhook) throws { state.webhooks[webhook.id] = webhook }
  func deleteWebhook(id: String) throws { state.webhooks[id] = nil }

  func deletePairingCodes(expiredBefore date: Date) throws {
    state.codes = state.codes.filter { $0.value.expiresAt >= date }
  }
}
