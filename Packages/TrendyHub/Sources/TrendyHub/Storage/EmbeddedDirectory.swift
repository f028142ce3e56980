import Foundation
import TrendyModels
import TrendyPersistence

class EmbeddedDirectoryReading: HubDirectoryReading {
  private let records: any RecordReading

  init(records: any RecordReading) { self.records = records }

  func users() throws -> [HubUser] {
    try records.scan(kind: HubRecordKind.user).map(Self.user).sorted { $0.id < $1.id }
  }

  func user(id: String) throws -> HubUser? {
    try records.get(kind: HubRecordKind.user, key: RowKey(hashing: id)).map(Self.user)
  }

  func devices() throws -> [HubDevice] {
    try records.scan(kind: HubRecordKind.device).map(Self.device).sorted { $0.id < $1.id }
  }

  func device(tokenHash: String) throws -> HubDevice? {
    let device = try records.get(kind: HubRecordKind.device, key: RowKey(hashing: tokenHash)).map(Self.device)
    return device?.tokenHash == tokenHash ? device : nil
  }

  func pairingCode(hash: String) throws -> HubPairingCode? {
    let code = try records.get(kind: HubRecordKind.pairingCode, key: RowKey(hashing: hash)).map(Self.pairingCode)
    return code?.hash == hash ? code : nil
  }

  func pairingCodes() throws -> [HubPairingCode] {
    try records.scan(kind: HubRecordKind.pairingCode).map(Self.pairingCode).sorted { $0.hash < $1.hash }
  }

  private static func pairingCode(_ record: Row) throws -> HubPairingCode {
    let members = try record.document().objectValue
    guard let hash = members?["hash"]?.stringValue, let user = members?["person"]?.stringValue,
      let expires = members?["expires"]?.intValue
    else { throw record.unreadable() }
    return HubPairingCode(hash: hash, user: user, expiresAt: Date(milliseconds: expires))
  }

  func pairingAttempts(key: String) throws -> [Date] {
    guard let record = try records.get(kind: HubRecordKind.pairingAttempts, key: RowKey(hashing: key)) else {
      return []
    }
    let members = try record.document().objectValue
    guard let stored = members?["key"]?.stringValue, let times = members?["times"]?.arrayValue else {
      throw record.unreadable()
    }
    return stored == key ? times.compactMap { $0.intValue.map(Date.init(milliseconds:)) } : []
  }

  func webhooks() throws -> [HubWebhook] {
    try records.scan(kind: HubRecordKind.webhook).map { record in
      guard let webhook = HubWebhook(stored: try record.document()) else { throw record.unreadable() }
      return webhook
    }.sorted { $0.id < $1.id }
  }

  private static func user(_ record: Row) throws -> HubUser {
    let members = try record.document().objectValue
    guard let id = members?["id"]?.stringValue, let name = members?["name"]?.stringValue,
      let created = members?["created"]?.intValue
    else { throw record.unreadable() }
    return HubUser(
      id: id, name: name, createdAt: Date(milliseconds: created),
      removedAt: members?["removed"]?.intValue.map(Date.init(milliseconds:)),
      isErasing: members?["erasing"]?.boolValue ?? false)
  }

  private static func device(_ record: Row) throws -> HubDevice {
    let members = try record.document().objectValue
    guard let id = members?["id"]?.stringValue, let user = members?["person"]?.stringValue,
      let name = members?["name"]?.stringValue, let hash = members?["token_hash"]?.stringValue,
      let created = members?["created"]?.intValue
    else { throw record.unreadable() }
    return HubDevice(
      id: id, user: user, name: name, tokenHash: hash, createdAt: Date(milliseconds: created),
      revokedAt: members?["revoked"]?.intValue.map(Date.init(milliseconds:)),
      seenAt: members?["seen"]?.intValue.map(Date.init(milliseconds:)),
      report: members?["report"].flatMap(HubDeviceReport.init(stored:)))
  }
}

final class EmbeddedDirectoryTransaction: EmbeddedDirectoryReading, HubDirectoryTransaction {
  private let transaction: WriteTransaction

  init(transaction: WriteTransaction) {
    self.transaction = transaction
    super.init(records: transaction)
  }

  func put(_ user: HubUser) throws {
    var members: [String: JSONValue] = [
      "id": .string(user.id), "name": .string(user.name), "created": .int(user.createdAt.milliseconds),
    ]
    if let removedAt = user.removedAt { members["removed"] = .int(removedAt.milliseconds) }
    if user.isErasing { members["erasing"] = true }
    try transaction.put(kind: HubRecordKind.user, key: RowKey(hashing: user.id), document: .object(members))
  }

  func deletePerson(id: String) throws {
    for device in try devices() where device.user == id {
      transaction.delete(kind: HubRecordKind.device, key: RowKey(hashing: device.tokenHash))
    }
    for record in try transaction.scan(kind: HubRecordKind.pairingCode)
    where try record.document().objectValue?["person"]?.stringValue == id {
      transaction.delete(kind: HubRecordKind.pairingCode, key: record.key)
    }
    for webhook in try webhooks() where webhook.user == id { try deleteWebhook(id: webhook.id) }
    transaction.delete(kind: HubRecordKind.user, key: RowKey(hashing: id))
  }

  func put(_ device: HubDevice) throws {
    var members: [String: JSONValue] = [
      "id": .string(device.id), "person": .string(device.user), "name": .string(device.name),
      "token_hash": .string(device.tokenHash), "created": .int(device.createdAt.milliseconds),
    ]
    if let revokedAt = device.revokedAt { members["revoked"] = .int(revokedAt.milliseconds) }
    if let seenAt = device.seenAt { members["seen"] = .int(seenAt.milliseconds) }
    if let report = device.report { members["report"] = report.stored }
    try transaction.put(
      kind: HubRecordKind.device, key: RowKey(hashing: device.tokenHash), document: .object(members))
  }

  func put(_ code: HubPairingCode) throws {
    try transaction.put(
      kind: HubRecordKind.pairingCode, key: RowKey(hashing: code.hash), sort: code.expiresAt.milliseconds,
      document: [
        "hash": .string(code.hash), "person": .string(code.user), "expires": .int(code.expiresAt.milliseconds),
      ])
  }

  func deletePairingCode(hash: String) throws {
    transaction.delete(kind: HubRecordKind.pairingCode, key: RowKey(hashing: hash))
  }

  func deletePairingCodes(expiredBefore date: Date) throws {
    for record in try transaction.scan(kind: HubRecordKind.pairingCode, from: .min, to: date.milliseconds) {
      transaction.delete(kind: HubRecordKind.pairingCode, key: record.key)
    }
  }

  func putPairingAttempts(key: String, _ times: [Date]) throws {
    guard let last = times.last else {
      transaction.delete(kind: HubRecordKind.pairingAttempts, key: RowKey(hashing: key))
      return
    }
    try transaction.put(
      kind: HubRecordKind.pairingAttempts, key: RowKey(hashing: key), sort: last.milliseconds,
      document: ["key": .string(key), "times": .array(times.map { .int($0.milliseconds) })])
  }

  func deletePairingAttempts(before date: Date, keeping count: Int) throws {
    func delete(_ found: RowList) {
      for record in found { transaction.delete(kind: HubRecordKind.pairingAttempts, key: record.key) }
    }
    delete(try transaction.scan(kind: HubRecordKind.pairingAttempts, from: .min, to: date.milliseconds))
    let excess = try transaction.count(kind: HubRecordKind.pairingAttempts) - count
    guard excess > 0 else { return }
    delete(
      try transaction.scan(
        kind: HubRecordKind.pairingAttempts, group: nil, from: .min, to: .max, descending: false, limit: excess))
  }

  func put(_ webhook: HubWebhook) throws {
    try transaction.put(kind: HubRecordKind.webhook, key: RowKey(hashing: webhook.id), document: webhook.stored)
  }

  func deleteWebhook(id: String) throws {
    transaction.delete(kind: HubRecordKind.webhook, key: RowKey(hashing: id))
  }
}
