/// Receives the progress of reading a file.
public protocol ReadingMeter: AnyObject {
  /// Size of the whole input in bytes; `nil` if unknown.
  var total: Int64? { get set }
  /// Reports that more bytes were read.
  ///
  /// - Throws: Any error, which stops the reader and reaches its caller.
  func advance(by bytes: Int) throws
}
