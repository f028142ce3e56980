import Foundation
import TrendyModels

/// How much a person's record may hold; what would grow beyond it is refused, and everything else goes on.
///
/// Only what lives counts, so that whoever deletes has room again at once.
public struct HubQuota: Hashable, Sendable {
  /// Entities; `nil` where nothing was said.
  public var rows: Int64?
  /// Bytes of what they hold, without what a storage adds to it; `nil` where nothing was said.
  public var bytes: Int64?

  /// Stands for no limit, in a quota of a person at a hub that sets one for all.
  public static let unlimited = Int64.max

  public init(rows: Int64? = nil, bytes: Int64? = nil) {
    self.rows = rows
    self.bytes = bytes
  }

  /// This quota, where it says nothing another one.
  public func otherwise(_ other: HubQuota) -> HubQuota {
    HubQuota(rows: rows ?? other.rows, bytes: bytes ?? other.bytes)
  }

  var isEmpty: Bool { rows == nil && bytes == nil }
}

/// A write that would leave more in a person's record than their quota: nothing of it was done.
///
/// No ``Problem``, which where many things are written together refuses one of them for good: this takes back all of them, and the
/// device keeps what it sent.
struct HubQuotaError: Error, Hashable, CustomStringConvertible {
  var quota: Int64
  var isOfRows: Bool

  var description: String {
    let most = isOfRows ? "\(quota) entries" : "\(quota) bytes"
    return
      "your record has reached the \(most) that this hub keeps for you: nothing was changed, and what waits on a device stays "
      + "there; delete something, or ask whoever runs the hub for more room"
  }

  var problem: Problem {
    Problem(
      "quota_exceeded", status: 507, title: "No room left for your record", detail: description,
      retryAfter: .seconds(60))
  }
}

extension HubState {
  /// Number of living entities.
  public var rows: Int64 { sums.values.reduce(0) { $0 + $1.count } }
}

extension HubReading {
  /// Bytes that the record may still grow by, below 0 where it holds more than it may; `nil` for no limit.
  func room(in quota: HubQuota) throws -> Int64? {
    let state = try state()
    guard let most = state.quota.otherwise(quota).bytes, most < .max else { return nil }
    return most - state.contentBytes
  }

  /// Whether the record holds as much as it may, or more.
  func isFull(_ quota: HubQuota) throws -> HubQuotaError? {
    let state = try state()
    let quota = state.quota.otherwise(quota)
    if let most = quota.rows, state.rows >= most { return HubQuotaError(quota: most, isOfRows: true) }
    guard let most = quota.bytes, most < .max else { return nil }
    return state.contentBytes >= most ? HubQuotaError(quota: most, isOfRows: false) : nil
  }
}

extension HubEntry {
  /// Bytes of its id and of the names and values of its fields; 0 of one that was deleted. The same for equal values, wherever they
  /// were read.
  var contentBytes: Int64 {
    guard isAlive else { return 0 }
    return fields.reduce(Int64(id.utf8.count)) { $0 + Int64($1.key.utf8.count) + $1.value.value.contentBytes }
  }
}

extension JSONValue {
  /// Of a text its length, of a number 8, of what holds others their sum.
  fileprivate var contentBytes: Int64 {
    if let text = stringValue { return Int64(text.utf8.count) }
    if let array = arrayValue { return array.reduce(0) { $0 + $1.contentBytes } }
    if let object = objectValue { return object.reduce(0) { $0 + Int64($1.key.utf8.count) + $1.value.contentBytes } }
    return 8
  }
}

extension HubAccounts {
  /// A person's quota, and what counts of their record.
  public func quota(of person: String) throws -> (own: HubQuota, rows: Int64, bytes: Int64) {
    try storage.read(person: person) { reading in
      let state = try reading.state()
      return (state.quota, state.rows, state.contentBytes)
    }
  }

  /// Sets a person's quota, for whichever hub serves the storage: from their next write on.
  /// - Throws: a ``Problem`` of kind `not_found`.
  public func setQuota(_ quota: HubQuota, of person: String) throws {
    guard try storage.readDirectory({ try $0.person(id: person) }) != nil else {
      throw Problem.notFound("nobody at this hub has the id \"\(person.prefix(60))\"")
    }
    try storage.write(person: person) { transaction in
      var state = try transaction.state()
      state.quota = quota
      try transaction.setState(state)
    }
  }
}
