import Foundation
import TrendyModels

/// Maximum size of a user's record. A write that would exceed it is refused, but reads and deletions still work.
///
/// Only live entities count, so a deletion frees space immediately.
public struct HubQuota: Hashable, Sendable {
  /// Maximum number of entities, or `nil` if not set.
  public var rows: Int64?
  /// Maximum size of the content in bytes, excluding storage overhead, or `nil` if not set.
  public var bytes: Int64?

  /// Value that means no limit and overrides the hub's quota.
  public static let unlimited = Int64.max

  public init(rows: Int64? = nil, bytes: Int64? = nil) {
    self.rows = rows
    self.bytes = bytes
  }

  /// Returns this quota with unset values taken from another.
  public func otherwise(_ other: HubQuota) -> HubQuota {
    HubQuota(rows: rows ?? other.rows, bytes: bytes ?? other.bytes)
  }

  var isEmpty: Bool { rows == nil && bytes == nil }
}

/// Error thrown when a write would exceed the user's quota. Nothing was written.
///
/// This error rolls back the whole push, and the device keeps its mutations. A ``Problem`` would instead permanently
/// refuse a single mutation.
struct HubQuotaError: Error, Hashable, CustomStringConvertible {
  var quota: Int64
  var isOfRows: Bool

  var description: String {
    let most = isOfRows ? "\(quota) entries" : "\(quota) bytes"
    return
      "your record has reached its limit of \(most) on this hub: nothing was changed, and pending changes stay on the "
      + "device; delete something, or ask the operator of the hub for more space"
  }

  var problem: Problem {
    Problem(
      "quota_exceeded", status: 507, title: "Quota exceeded", detail: description,
      retryAfter: .seconds(60))
  }
}

extension HubState {
  /// Number of live entities.
  public var rows: Int64 { sums.values.reduce(0) { $0 + $1.count } }
}

extension HubReadTransaction {
  /// Returns the number of bytes by which the record may still grow, negative if it exceeds its quota, or `nil` if
  /// unlimited.
  func room(in quota: HubQuota) throws -> Int64? {
    let state = try state()
    guard let most = state.quota.otherwise(quota).bytes, most < .max else { return nil }
    return most - state.contentBytes
  }

  /// Returns an error if the record has reached its quota, otherwise `nil`.
  func isFull(_ quota: HubQuota) throws -> HubQuotaError? {
    let state = try state()
    let quota = state.quota.otherwise(quota)
    if let most = quota.rows, state.rows >= most { return HubQuotaError(quota: most, isOfRows: true) }
    guard let most = quota.bytes, most < .max else { return nil }
    return state.contentBytes >= most ? HubQuotaError(quota: most, isOfRows: false) : nil
  }
}

extension HubEntry {
  /// Size of the id and of all field names and values, in bytes, or 0 for a tombstone.
  var contentBytes: Int64 {
    guard isAlive else { return 0 }
    return fields.reduce(Int64(id.utf8.count)) { $0 + Int64($1.key.utf8.count) + $1.value.value.contentBytes }
  }
}

extension JSONValue {
  /// Bytes of a string, sum of the elements of an array or object, 8 for any other value.
  fileprivate var contentBytes: Int64 {
    if let text = stringValue { return Int64(text.utf8.count) }
    if let array = arrayValue { return array.reduce(0) { $0 + $1.contentBytes } }
    if let object = objectValue { return object.reduce(0) { $0 + Int64($1.key.utf8.count) + $1.value.contentBytes } }
    return 8
  }
}

extension HubAccounts {
  /// Returns a user's own quota and the current size of the user's record.
  public func quota(of user: String) throws -> (own: HubQuota, rows: Int64, bytes: Int64) {
    try storage.read(user: user) { reading in
      let state = try reading.state()
      return (state.quota, state.rows, state.contentBytes)
    }
  }

  /// Sets a user's quota, which applies from the next write through any hub process that shares the storage.
  public func setQuota(_ quota: HubQuota, of user: String) throws {
    guard try storage.readDirectory({ try $0.user(id: user) }) != nil else {
      throw Problem.notFound("this hub has no user with the id \"\(user.prefix(60))\"")
    }
    try storage.write(user: user) { transaction in
      var state = try transaction.state()
      state.quota = quota
      try transaction.setState(state)
    }
  }
}
