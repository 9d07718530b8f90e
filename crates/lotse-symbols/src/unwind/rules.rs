//! Evaluates the rules of call frame information: from the registers of a function to those of its caller.

use gimli::{
    CfaRule, EvaluationResult, Expression, Location, Register, RegisterRule, UnitOffset, UnwindExpression,
    Value,
};

use super::frames::{CallFrames, UnwindRow};
use super::{Registers, UnwindFailure};

/// The limit for the number of operations of a DWARF expression; real rules have few.
const MOST_OPERATIONS: u32 = 1000;

type Read<'a> = &'a dyn Fn(u64) -> Option<u64>;

/// The rules of one stack frame, and the registers and the stack that they are applied to.
struct UnwindFrame<'a> {
    section: &'a CallFrames,
    row: &'a UnwindRow,
    registers: &'a Registers,
    stack: Read<'a>,
}

/// Applies the rules: the registers of the caller, or `None` if the function has no caller.
pub(super) fn apply(
    section: &CallFrames,
    row: &UnwindRow,
    registers: &Registers,
    stack: Read<'_>,
) -> Result<Option<Registers>, UnwindFailure> {
    let frame = UnwindFrame { section, row, registers, stack };
    let cfa = frame.canonical_address()?;
    let mut caller = registers.of_caller(cfa);
    let mut return_address = registers.get(row.return_address.0).ok_or(UnwindFailure::Unsound);
    for (register, rule) in &row.rules {
        let value = frame.value(*register, rule, cfa);
        // A register that cannot be recovered matters only where a rule needs it.
        caller.put(register.0, value.ok().flatten());
        if *register == row.return_address {
            let Some(address) = value? else { return Ok(None) };
            return_address = Ok(address);
        }
    }
    let return_address = return_address?;
    caller.return_to(return_address);
    Ok((return_address != 0).then_some(caller))
}

impl UnwindFrame<'_> {
    fn register(&self, register: Register) -> Result<u64, UnwindFailure> {
        self.registers.get(register.0).ok_or(UnwindFailure::Unsound)
    }

    fn read(&self, address: u64) -> Result<u64, UnwindFailure> {
        (self.stack)(address).ok_or(UnwindFailure::Unreadable(address))
    }

    /// The canonical frame address: the stack pointer before the call.
    fn canonical_address(&self) -> Result<u64, UnwindFailure> {
        match &self.row.cfa {
            CfaRule::RegisterAndOffset { register, offset } => {
                Ok(self.register(*register)?.wrapping_add_signed(*offset))
            }
            CfaRule::Expression(expression) => self.evaluate(expression, None),
        }
    }

    /// The value of a register in the caller; `None` if it is undefined.
    fn value(
        &self,
        register: Register,
        rule: &RegisterRule<usize>,
        cfa: u64,
    ) -> Result<Option<u64>, UnwindFailure> {
        let value = match rule {
            RegisterRule::Undefined => return Ok(None),
            RegisterRule::SameValue => self.register(register)?,
            RegisterRule::Offset(offset) => self.read(cfa.wrapping_add_signed(*offset))?,
            RegisterRule::ValOffset(offset) => cfa.wrapping_add_signed(*offset),
            RegisterRule::Register(other) => self.register(*other)?,
            RegisterRule::Expression(expression) => self.read(self.evaluate(expression, Some(cfa))?)?,
            RegisterRule::ValExpression(expression) => self.evaluate(expression, Some(cfa))?,
            RegisterRule::Constant(value) => *value,
            _ => return Err(UnwindFailure::Unsound),
        };
        Ok(Some(value))
    }

    /// Evaluates a DWARF expression, with `initial` on its stack. The evaluation stops whenever it needs a register or a
    /// word of memory, and is resumed with it.
    fn evaluate(
        &self,
        expression: &UnwindExpression<usize>,
        initial: Option<u64>,
    ) -> Result<u64, UnwindFailure> {
        let bytes = self.section.expression(expression).ok_or(UnwindFailure::Unsound)?;
        let mut evaluation = Expression(bytes).evaluation(self.row.encoding);
        evaluation.set_max_iterations(MOST_OPERATIONS);
        if let Some(value) = initial {
            evaluation.set_initial_value(value);
        }
        let unsound = |_| UnwindFailure::Unsound;
        let mut state = evaluation.evaluate().map_err(unsound)?;
        loop {
            state = match state {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, base_type: UnitOffset(0) } => {
                    evaluation.resume_with_register(Value::Generic(self.register(register)?))
                }
                EvaluationResult::RequiresMemory {
                    address,
                    size: 8,
                    space: None,
                    base_type: UnitOffset(0),
                } => evaluation.resume_with_memory(Value::Generic(self.read(address)?)),
                _ => return Err(UnwindFailure::Unsound),
            }
            .map_err(unsound)?;
        }
        match evaluation.as_result().last().map(|piece| &piece.location) {
            Some(Location::Address { address }) => Ok(*address),
            Some(Location::Value { value: Value::Generic(value) }) => Ok(*value),
            _ => Err(UnwindFailure::Unsound),
        }
    }
}
