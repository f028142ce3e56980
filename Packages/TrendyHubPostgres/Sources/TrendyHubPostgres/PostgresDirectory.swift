import Foundation
import TrendyHub
import TrendyModels

/// Transaction on users, devices, pairing codes and webhooks.
///
/// Each read is a separate transaction. A writing transaction locks the directory's counter row.
final class PostgresDirectory: PostgresSession, HubDirectoryTransaction {
  /// Key of the directory's counter row. User ids are never empty, so it cannot be one.
  static let counter = ""

  private var hasWritten = false
  private let token: UInt64

  init(_ connection: PostgresConnection, isWriting: Bool, states: StateCache, token: UInt64) {
    self.token = token
    super.init(connection, user: Self.counter, isWriting: isWriting, states: states)
  }

  override func run(_ calls: [PostgresCall]) throws -> [PostgresRows] {
    if isWriting { return try super.run(calls) }
    do {
      return try connection.run(calls)
    } catch {
      throw note(error)
    }
  }

  private func write(_ calls: PostgresCall...) throws {
    _ = try run(calls)
    hasWritten = true
  }

  override func end() {
    if isWriting { super.end() }
  }

  func commit() throws {
    guard hasWritten else { return end() }
    _ = try run([
      PostgresCall(
        .updateCounter, .text(user), .int(0), .document(Data()), try counter().recent.adding(token).stored),
      PostgresCall(.commit),
    ])
  }

  func users() throws -> [HubUser] {
    let rows = try run(PostgresCall(.readMembers))
    return (0..<rows.count).map { Self.user(rows, $0) }.sorted { $0.id < $1.id }
  }

  func user(id: String) throws -> HubUser? {
    let rows = try run(PostgresCall(.readMember, .text(id)))
    return rows.count > 0 ? Self.user(rows, 0) : nil
  }

  private static func user(_ rows: PostgresRows, _ row: Int) -> HubUser {
    HubUser(
      id: rows.text(row, 0), name: rows.text(row, 1), createdAt: Date(millis: rows.int(row, 2)),
      removedAt: rows.optionalInt(row, 3).map(Date.init(millis:)), isErasing: rows.bool(row, 4))
  }

  func devices() throws -> [HubDevice] {
    let rows = try run(PostgresCall(.readTokens))
    return try (0..<rows.count).map { try Self.device(rows, $0) }.sorted { $0.id < $1.id }
  }

  func device(tokenHash: String) throws -> HubDevice? {
    let rows = try run(PostgresCall(.readToken, .text(tokenHash)))
    return rows.count > 0 ? try Self.device(rows, 0) : nil
  }

  private static func device(_ rows: PostgresRows, _ row: Int) throws -> HubDevice {
    let report = rows.data(row, 7)
    return HubDevice(
      id: rows.text(row, 1), user: rows.text(row, 2), name: rows.text(row, 3), tokenHash: rows.text(row, 0),
      createdAt: Date(millis: rows.int(row, 4)), revokedAt: rows.optionalInt(row, 5).map(Date.init(millis:)),
      seenAt: rows.optionalInt(row, 6).map(Date.init(millis:)),
      report: report.isEmpty ? nil : HubDeviceReport(stored: try PostgresDocument.parse(report, of: "token")))
  }

  func pairingCode(hash: String) throws -> HubPairingCode? {
    let rows = try run(PostgresCall(.readPairingCode, .text(hash)))
    guard rows.count > 0 else { return nil }
    return HubPairingCode(hash: hash, user: rows.text(0, 0), expiresAt: Date(millis: rows.int(0, 1)))
  }

  func pairingCodes() throws -> [HubPairingCode] {
    let rows = try run(PostgresCall(.readPairingCodes))
    return (0..<rows.count).map {
      HubPairingCode(hash: rows.text($0, 0), user: rows.text($0, 1), expiresAt: Date(millis: rows.int($0, 2)))
    }.sorted { $0.hash < $1.hash }
  }

  func pairingAttempts(key: String) throws -> [Date] {
    let rows = try run(PostgresCall(.readPairingAttempts, .text(key)))
    guard rows.count > 0 else { return [] }
    return rows.text(0, 0).split(separator: ",").compactMap { Int64($0).map(Date.init(millis:)) }
  }

  func putPairingAttempts(key: String, _ times: [Date]) throws {
    guard let last = times.last else { return try write(PostgresCall(.deletePairingAttempts, .text(key))) }
    try write(
      PostgresCall(
        .putPairingAttempts, .text(key), .int(last.millis),
        .text(times.map { "\($0.millis)" }.joined(separator: ","))))
  }

  func deletePairingAttempts(before date: Date, keeping count: Int) throws {
    try write(
      PostgresCall(.deleteOldPairingAttempts, .int(date.millis)),
      PostgresCall(.deleteExcessPairingAttempts, .int(Int64(count))))
  }

  func webhooks() throws -> [HubWebhook] {
    let rows = try run(PostgresCall(.readWebhooks))
    return try (0..<rows.count).map { row in
      guard let webhook = HubWebhook(stored: try PostgresDocument.parse(rows.data(row, 0), of: "webhook")) else {
        throw PostgresDocument.unreadable("webhook")
      }
      return webhook
    }.sorted { $0.id < $1.id }
  }

  func put(_ user: HubUser) throws {
    try write(
      PostgresCall(
        .putMember, .text(user.id), .text(user.name), .int(user.createdAt.millis),
        .int(user.removedAt?.millis), .bool(user.isErasing)))
  }

  func deletePerson(id: String) throws {
    try write(
      PostgresCall(.deleteTokens, .text(id)), PostgresCall(.deletePairingCodesOf, .text(id)),
      PostgresCall(.deleteWebhooks, .text(id)), PostgresCall(.deleteMember, .text(id)))
  }

  func put(_ device: HubDevice) throws {
    try write(
      PostgresCall(
        .putToken, .text(device.tokenHash), .text(device.id), .text(device.user), .text(device.name),
        .int(device.createdAt.millis), .int(device.revokedAt?.millis), .int(device.seenAt?.millis),
        .document(try device.report.map { try WireJSON.encode($0.stored) } ?? Data())))
  }

  func put(_ code: HubPairingCode) throws {
    try write(
      PostgresCall(.putPairingCode, .text(code.hash), .text(code.user), .int(code.expiresAt.millis)))
  }

  func put(_ webhook: HubWebhook) throws {
    try write(
      PostgresCall(
        .putWebhook, .text(webhook.id), .text(webhook.user), .document(try WireJSON.encode(webhook.stored))))
  }

  func deleteWebhook(id: String) throws { try write(PostgresCall(.deleteWebhook, .text(id))) }

  func deletePairingCode(hash: String) throws { try write(PostgresCall(.deletePairingCode, .text(hash))) }

  func deletePairingCodes(expiredBefore date: Date) throws {
    try write(PostgresCall(.deleteExpiredCodes, .int(date.millis)))
  }
}
