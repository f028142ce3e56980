import Foundation
import TrendyModels

/// Maximum size of a user's record. A write that would exceed it is refused; reads and deletions still work.
///
/// Only live entities count, so a deletion frees space immediately.
public struct HubQuota: Hashable, Sendable {
  /// Maximum number of entities; `nil` if not set.
  public var rows: Int64?
  /// Maximum bytes of content, without overhead of the storage; `nil` if not set.
  public var bytes: Int64?

  /// Value for no limit, which overrides the hub's quota.
  public static let unlimited = Int64.max

  public init(rows: Int64? = nil, bytes: Int64? = nil) {
    self.rows = rows
    self.bytes = bytes
  }

  /// Returns this quota, with values that are not set taken from another.
  public func otherwise(_ other: HubQuota) -> HubQuota {
    HubQuota(rows: rows ?? other.rows, bytes: bytes ?? other.bytes)
  }

  var isEmpty: Bool { rows == nil && bytes == nil }
}

/// A write would exceed the user's quota; nothing was written.
///
/// This is not a ``Problem``, because a problem refuses one mutation of a push permanently. This error rolls back the
/// whole push, and the device keeps its mutations.
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
  /// Returns the bytes by which the record may still grow; `nil` for no limit.
  ///
  /// The value is negative if the record exceeds its quota.
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
  /// Bytes of the id and of the names and values of the fields; 0 for a tombstone.
  ///
  /// Equal values count equally in every storage.
  var contentBytes: Int64 {
    guard isAlive else { return 0 }
    return fields.reduce(Int64(id.utf8.count)) { $0 + Int64($1.key.utf8.count) + $1.value.value.contentBytes }
  }
}

extension JSONValue {
  /// Length of a string, sum of an array or object, 8 for anything else.
  fileprivate var contentBytes: Int64 {
    if let text = stringValue { return Int64(text.utf8.count) }
    if let array = arrayValue { return array.reduce(0) { $0 + $1.contentBytes } }
    if let object = objectValue { return object.reduce(0) { $0 + Int64($1.key.utf8.count) + $1.value.contentBytes } }
    return 8
  }
}

extension HubAccounts {
  /// Returns a user's own quota and the current size of the record.
  public func quota(of user: String) throws -> (own: HubQuota, rows: Int64, bytes: Int64) {
    try storage.read(user: user) { reading in
      let state = try reading.state()
      return (state.quota, state.rows, state.contentBytes)
    }
  }

  /// Sets a user's quota, effective from the next write at any hub of the storage.
  ///
  /// - Throws: A ``Problem`` of kind `not_found` if the user does not exist.
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
