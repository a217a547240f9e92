"""Convert columns whose batches have several Arrow types to one type, if that changes no value.

Readers that see only some rows at a time, such as JSON readers, use the null type until a column has a value, and an integer type
until a value has a fraction.
"""

from __future__ import annotations

from typing import Any

from lookalike.errors import InputError

_UNITS = ("s", "ms", "us", "ns")


def joined(before: Any, new: Any, where: str) -> Any:
    """Return one schema for the rows of two schemas. A column that only one schema has is null in the rows of the other.

    Raises `InputError` if no type can hold the two types of a column; `where` names the rows of the new schema.
    """
    import pyarrow as pa

    fields = []
    for field in before:
        if field.name not in new.names:
            fields.append(field.with_nullable(True))
            continue
        other = new.field(field.name)
        own = unified(field.type, other.type)
        if own is None:
            raise InputError(
                f"{where}: column {field.name!r} is of the type {other.type}, but of the type {field.type} before; give all its "
                "rows one type first"
            )
        fields.append(field.with_type(own).with_nullable(field.nullable or other.nullable))
    fields += [field.with_nullable(True) for field in new if field.name not in before.names]
    return pa.schema(fields, before.metadata)


def conformed(batch: Any, schema: Any, where: str) -> Any:
    """Return a batch with the same values in the types of a schema, and with null in missing columns.

    Raises `InputError` for a value that its column's type cannot hold; `where` names the batch's rows.
    """
    import pyarrow as pa

    if batch.schema.equals(schema):
        return batch
    columns = []
    for field in schema:
        if field.name not in batch.schema.names:
            columns.append(pa.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(field.name)
        if unified(field.type, column.type) != field.type:
            raise InputError(
                f"{where}: column {field.name!r} is of the type {column.type}, but should be of the type {field.type}; give all "
                "its rows one type first"
            )
        try:
            columns.append(_converted(column, field.type))
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            raise InputError(
                f"{where}: column {field.name!r} is of the type {column.type}, with values that {field.type}, the type of other "
                f"rows, cannot hold exactly ({error}); give all its rows one type first"
            ) from error
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def unified(a: Any, b: Any) -> Any:
    """Find a type for the values of two types, or None; only the conversion shows whether it holds all values exactly.

    If the types store strings, bytes or lists in two layouts, the layout of `a` is used.
    """
    import pyarrow as pa

    is_a = pa.types
    if a.equals(b) or is_a.is_null(b):
        return a
    if is_a.is_null(a):
        return b
    if is_a.is_dictionary(a) or is_a.is_dictionary(b):
        return unified(*(own.value_type if is_a.is_dictionary(own) else own for own in (a, b)))
    if is_a.is_integer(a) and is_a.is_integer(b):
        return _whole(a, b)
    numbers = [is_a.is_integer(own) + 2 * is_a.is_floating(own) for own in (a, b)]
    if all(numbers):
        return max(a, b, key=lambda own: own.bit_width) if numbers == [2, 2] else pa.float64()
    if any(all(map(kind, (a, b))) for kind in (_is_string, _is_binary)):
        return a
    if is_a.is_timestamp(a) and is_a.is_timestamp(b) and a.tz == b.tz:
        return pa.timestamp(max(a.unit, b.unit, key=_UNITS.index), a.tz)
    if is_a.is_decimal(a) and is_a.is_decimal(b):
        scale = max(a.scale, b.scale)
        digits = max(own.precision - own.scale for own in (a, b)) + scale
        return pa.decimal128(digits, scale) if digits <= 38 else pa.decimal256(digits, scale) if digits <= 76 else None
    if is_a.is_struct(a) and is_a.is_struct(b):
        return _struct(a, b)
    if _is_list(a) and _is_list(b):
        value = unified(a.value_type, b.value_type)
        of = pa.large_list if is_a.is_large_list(a) else pa.list_
        return None if value is None else of(a.value_field.with_type(value).with_nullable(True))
    if is_a.is_map(a) and is_a.is_map(b):
        key, item = unified(a.key_type, b.key_type), unified(a.item_type, b.item_type)
        return None if key is None or item is None else pa.map_(key, item)
    return None


def _is_string(own: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(own) or pa.types.is_large_string(own) or pa.types.is_string_view(own))


def _is_binary(own: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_binary(own) or pa.types.is_large_binary(own) or pa.types.is_binary_view(own))


def _is_list(own: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(own) or pa.types.is_large_list(own) or pa.types.is_fixed_size_list(own))


def _whole(a: Any, b: Any) -> Any:
    """Find the smallest integer type that holds all values of both; None for signed and unsigned integers of 64 bits."""
    import pyarrow as pa

    def bits(own: Any) -> int:
        return int(own.bit_width) + (0 if pa.types.is_signed_integer(own) else 1)

    if pa.types.is_unsigned_integer(a) and pa.types.is_unsigned_integer(b):
        return max(a, b, key=bits)
    signed = (pa.int16(), pa.int32(), pa.int64())
    return next(
        (own for own in (a, b, *signed) if pa.types.is_signed_integer(own) and own.bit_width >= max(bits(a), bits(b))), None
    )


def _struct(a: Any, b: Any) -> Any:
    import pyarrow as pa

    theirs = {field.name: field for field in b}
    names = [field.name for field in a]
    if len(theirs) != b.num_fields or len(set(names)) != len(names):
        return None
    fields = []
    for field in a:
        other = theirs.pop(field.name, None)
        own = field.type if other is None else unified(field.type, other.type)
        if own is None:
            return None
        fields.append(pa.field(field.name, own))
    return pa.struct([*fields, *(field.with_nullable(True) for field in theirs.values())])


def _converted(column: Any, own: Any) -> Any:
    import pyarrow as pa

    is_a = pa.types
    if column.type.equals(own):
        return column
    if any(map(_has_structs, (column.type, own))):
        # Some versions of pyarrow match the fields of a struct by position.
        return pa.array(column.to_pylist(), own)
    if is_a.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(own)


def _has_structs(own: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_struct(own)) or any(_has_structs(own.field(at).type) for at in range(own.num_fields))
